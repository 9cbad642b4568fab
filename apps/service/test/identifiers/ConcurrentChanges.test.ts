/** Changes, assignments, removals and deletions of the same identifier that many requests make at the same time. */
import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import * as fc from "fast-check"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const events = Array.from({ length: 12 }, (_, number) =>
  eventForTest(number, "paste", { content: number % 2 === 0 ? "harbour card" : "harbour" })
)

const numRuns = process.env["LONG_PROPERTIES"] === "true" ? 20 : 4

const criteria = { categories: [], emerging_categories: [], severities: [] }

const keyword = (keyword: string, more: object = {}) => ({ ...criteria, data: { type: "keyword", keyword }, ...more })

const change = fc.oneof(
  fc.record({ kind: fc.constant("change"), keyword: fc.constantFrom("harbour", "card") }),
  fc.record({ kind: fc.constant("disable"), isDisabled: fc.boolean() }),
  fc.record({ kind: fc.constant("group"), isIn: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("assign", "assign", "clean", "unassign"), policy: fc.nat(1) }),
  fc.record({ kind: fc.constantFrom("policy", "delete policy"), policy: fc.nat(1) }),
  fc.record({ kind: fc.constantFrom("load", "act", "delete group") })
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

describeOnEngines("An identifier that many requests change", ({ store }) => {
  it.live("has in the end what the last change says, or is gone everywhere", () =>
    Effect.gen(function* () {
      const { layer } = yield* store
      yield* Effect.gen(function* () {
        const { call, loadEvents } = yield* ServiceForTest
        yield* loadEvents(...events)
        for (const [round, changes] of fc
          .sample(fc.array(change, { minLength: 16, maxLength: 24 }), { seed: 4_5, numRuns })
          .entries()) {
          const isDeleted = round % 2 === 1
          const { id } = (yield* call(1, "POST", "/v4/identifiers/", keyword("harbour"))).body
          const path = `/v4/identifiers/${id}`
          const group = (yield* call(1, "POST", "/v2/assets/groups/", { name: "g" })).body.assets_group.id
          const policies = yield* Effect.forEach(["card", "harbour"], (word) =>
            Effect.map(
              call(1, "POST", "/v4/matching-policies", {
                name: word,
                type: "INCLUDED_KEYWORDS",
                value: { keywords: [word] }
              }),
              ({ body }) => body.uuid
            )
          )
          const make = (made: Change) => {
            const uuid = "policy" in made ? policies[made.policy] : ""
            const assignments = `/v4/matching-policies/${uuid}/assignments`
            switch (made.kind) {
              case "change":
                return call(1, "PUT", path, keyword("keyword" in made ? made.keyword : ""))
              case "disable":
                return call(
                  1,
                  "PUT",
                  path,
                  keyword("harbour", { is_disabled: "isDisabled" in made && made.isDisabled })
                )
              case "group":
                return call(
                  1,
                  "PUT",
                  path,
                  keyword("harbour", { group_id: "isIn" in made && made.isIn ? group : null })
                )
              case "assign":
              case "clean":
                return call(1, "POST", assignments, { identifier_ids: [id], clean_past_events: made.kind === "clean" })
              case "unassign":
                return call(1, "DELETE", assignments, { identifier_ids: [id] })
              case "policy":
                return call(1, "PUT", `/v4/matching-policies/${uuid}`, { name: "p", value: { keywords: ["card"] } })
              case "delete policy":
                return call(1, "DELETE", `/v4/matching-policies/${uuid}`)
              case "delete group":
                return call(1, "DELETE", `/v2/assets/groups/${group}`)
              case "act":
                return call(1, "POST", "/v4/events/actions", {
                  targets: [{ uid: "test/source/1" }],
                  action: { type: "ignore" }
                })
              default:
                return Effect.map(loadEvents(...events), () => ({ status: 200, text: "" }))
            }
          }
          const all = isDeleted
            ? [...changes.slice(0, 8).map(make), call(1, "DELETE", path), ...changes.slice(8).map(make)]
            : changes.map(make)
          const statuses = yield* Effect.all(all, { concurrency: 8 })
          for (const [at, { status, text }] of statuses.entries()) {
            assert.include([200, 202, 404, 422], status, `${JSON.stringify(changes[at])}: ${text}`)
          }
          yield* Effect.forEach(policies, (uuid) => call(1, "DELETE", `/v4/matching-policies/${uuid}`))
          const listed = (yield* call(1, "GET", "/v4/identifiers/?size=100")).body.items
          const isListed = listed.some((item: typeof listed) => item.id === id)
          assert.strictEqual(isListed, !isDeleted, `round ${round}`)
          const ofIdentifier = `/v4/events/identifiers/${id}/_search`
          if (isDeleted) {
            assert.strictEqual((yield* call(1, "GET", path)).status, 404)
            assert.strictEqual((yield* call(1, "POST", ofIdentifier, {})).status, 404)
            continue
          }
          for (const word of ["card", "harbour"]) yield* call(1, "PUT", path, keyword(word, { is_disabled: false }))
          let shown = (yield* call(1, "GET", path)).body
          while (shown.enrichments === null) {
            yield* Effect.sleep("50 millis")
            shown = (yield* call(1, "GET", path)).body
          }
          assert.strictEqual(shown.enrichments.event_count, events.length, `round ${round}`)
          const first = (yield* call(1, "POST", ofIdentifier, { size: 10 })).body
          const second = (yield* call(1, "POST", ofIdentifier, { size: 10, from: first.next })).body
          const uids = [...first.items, ...second.items].map((item: typeof first) => item.metadata.uid)
          assert.strictEqual(new Set(uids).size, events.length)
        }
      }).pipe(Effect.provide(ServiceForTest.over(layer)))
    }).pipe(Effect.scoped)
  )
})

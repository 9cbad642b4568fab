import { assert, it } from "@effect/vitest"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const uuid = "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"
const path = `/v4/matching-policies/${uuid}`

const policy = (keywords: ReadonlyArray<string>, tenantId = 1, itsUuid = uuid) =>
  MatchingPolicyStore.use((store) =>
    store.insert({
      tenantId,
      name: "Payments",
      keywords,
      uuid: PolicyUuid.make(itsUuid),
      createdAt: "2026-01-01T00:00:00.000Z"
    })
  )

const identifier = (name: string, tenantId = 1) =>
  ServiceForTest.use(({ call }) =>
    Effect.map(call(tenantId, "POST", "/v2/assets/", { name, type: "keyword" }), ({ body }): number => body.asset.id)
  )

const eventsOf = (id: number) =>
  ServiceForTest.use(({ call }) =>
    Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, {}), ({ body }) =>
      body.items.map((item: { metadata: { uid: string } }) => Number(item.metadata.uid.split("/")[2]))
    )
  )

const paste = (number: number, content: string) => eventForTest(number, "paste", { content })

describeOnEngines("MatchingPolicies", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))

  it.live("let only events with one of their keywords match, from the assignment on", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(paste(1, "acme"), paste(2, "acme card number"))
      yield* policy(["Card Number", "refund"])
      const id = yield* identifier("acme")
      const { body, status } = yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [id] })
      assert.strictEqual(status, 200)
      assert.isUndefined(body)
      assert.deepStrictEqual(yield* eventsOf(id), [2, 1])
      yield* loadEvents(paste(3, "acme"), paste(4, "acme REFUND"), paste(5, "refund"), paste(6, "acme number card"))
      assert.deepStrictEqual(yield* eventsOf(id), [4, 2, 1])

      assert.strictEqual((yield* call(1, "DELETE", path)).status, 200)
      yield* loadEvents(paste(7, "acme"))
      assert.deepStrictEqual(yield* eventsOf(id), [7, 4, 2, 1])
      assert.strictEqual((yield* call(1, "DELETE", path)).status, 404)
    }).pipe(provided)
  )

  it.live("remove past events on request, only of the assigned identifiers", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        paste(1, "acme"),
        paste(2, "acme refund"),
        paste(3, "otter"),
        paste(4, "seal refund"),
        paste(5, "seal")
      )
      yield* policy(["refund"])
      const acme = yield* identifier("acme")
      const otter = yield* identifier("otter")
      const seal = yield* identifier("seal")
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [acme, seal, acme], clean_past_events: true })
      assert.deepStrictEqual(yield* eventsOf(seal), [4])
      assert.deepStrictEqual(yield* eventsOf(acme), [2])
      assert.deepStrictEqual(yield* eventsOf(otter), [3])
    }).pipe(provided)
  )

  it.live("must all match if there are several", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const second = "00000000-0000-4000-8000-000000000002"
      yield* policy(["refund"])
      yield* policy(["card"], 1, second)
      const id = yield* identifier("acme")
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [id] })
      yield* call(1, "POST", `/v4/matching-policies/${second}/assignments`, { identifier_ids: [id] })
      yield* loadEvents(paste(1, "acme refund"), paste(2, "acme card"), paste(3, "acme card refund"))
      assert.deepStrictEqual(yield* eventsOf(id), [3])
    }).pipe(provided)
  )

  it.live("list their assignments in pages, and an identifier its policies", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      yield* policy(["refund"])
      const ids: Array<number> = []
      for (const name of ["one", "two", "three"]) ids.push(yield* identifier(name))
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: ids })
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [ids[0]], clean_past_events: true })

      const list = (query: string) => call(1, "GET", `${path}/assignments${query}`)
      const all = yield* list("")
      assert.strictEqual(all.body.next, null)
      assert.sameDeepMembers(
        all.body.items.map((item: Record<string, unknown>) => [
          item["identifier_id"],
          item["identifier_name"],
          item["clean_past_events"],
          typeof item["assigned_at"]
        ]),
        [
          [ids[0], "one", true, "string"],
          [ids[1], "two", false, "string"],
          [ids[2], "three", false, "string"]
        ]
      )
      for (const order of ["asc", "desc"]) {
        const seen: Array<number> = []
        let from = ""
        do {
          const { body } = yield* list(`?order=${order}&size=2${from}`)
          seen.push(...body.items.map(({ identifier_id }: { identifier_id: number }) => identifier_id))
          from = body.next === null ? "" : `&from=${encodeURIComponent(body.next)}`
        } while (from !== "")
        assert.sameMembers(seen, ids)
        assert.strictEqual(seen.length, 3)
      }
      const first = yield* list("?size=1")
      const other = yield* list(`?size=1&order=asc&from=${encodeURIComponent(first.body.next)}`)
      assert.strictEqual(other.status, 422)
      assert.deepStrictEqual(other.body.detail[0].loc, ["query", "from"])
      assert.strictEqual((yield* list("?size=101")).status, 422)

      const ofIdentifier = yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${ids[0]}`)
      const { assigned_at, ...assigned } = ofIdentifier.body[0]
      assert.match(assigned_at, /^\d{4}-/)
      assert.deepStrictEqual(assigned, {
        matching_policy: {
          uuid,
          name: "Payments",
          policy_type: "INCLUDED_KEYWORDS",
          value: { keywords: ["refund"] },
          created_at: "2026-01-01T00:00:00.000Z",
          last_updated_at: "2026-01-01T00:00:00.000Z"
        },
        clean_past_events: true
      })
      yield* call(1, "DELETE", path)
      assert.deepStrictEqual((yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${ids[0]}`)).body, [])
    }).pipe(provided)
  )

  it.live("of another tenant do not exist, and neither do its identifiers", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      yield* policy(["refund"])
      const mine = yield* identifier("acme")
      const theirs = yield* identifier("acme", 2)
      const status = (...request: Parameters<typeof call>) => Effect.map(call(...request), ({ status }) => status)
      assert.strictEqual(yield* status(2, "POST", `${path}/assignments`, { identifier_ids: [theirs] }), 404)
      assert.strictEqual(yield* status(1, "POST", `${path}/assignments`, { identifier_ids: [mine, theirs] }), 404)
      assert.deepStrictEqual((yield* call(1, "GET", `${path}/assignments`)).body.items, [])
      assert.strictEqual(yield* status(2, "GET", `${path}/assignments`), 404)
      assert.strictEqual(yield* status(2, "DELETE", path), 404)
      assert.strictEqual(yield* status(1, "GET", `/v4/matching-policies/by_identifier_id/${theirs}`), 404)
      assert.strictEqual(yield* status(1, "GET", `${path}/assignments`), 200)
    }).pipe(provided)
  )
})

/**
 * Changes of a tenant's identifiers and policies in a service that is killed meanwhile: the next service completes each
 * change.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect, Scope } from "effect"
import { call, createKey, folder, run, serving, timeout } from "./Command.ts"

const words = ["alpha", "beta", "gamma", "delta"]
const count = 128
/** The numbers of the events that contain the word. An event contains one word per bit of its number. */
const matchesOf = (word: string) =>
  Array.from({ length: count }, (_, number) => number).filter((number) => (number >> words.indexOf(word)) & 1)

const rounds = process.env["LONG_PROPERTIES"] === "true" ? 20 : 1

const changes = [
  "create",
  "change",
  "disable",
  "enable",
  "delete",
  "delete group",
  "accept",
  "reject",
  "ignore",
  "ignore credentials",
  "assign",
  "clean",
  "unassign",
  "delete policy",
  "add users"
] as const

/** The number of targets in a batch. */
const batch = 10

describeOnEngines("A service that is killed", ({ store }) => {
  it.live(
    "leaves no change half done",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const { flags } = yield* store
        const token = yield* createKey(there, "1", "read-tenant,write-tenant,write-tenant-admin", ...flags)
        const events = Array.from({ length: count }, (_, number) => ({
          event_type: "paste",
          metadata: {
            uid: `paste/a/${number}`,
            severity: "low",
            estimated_created_at: new Date(number * 60_000).toISOString()
          },
          data: { content: words.filter((_, bit) => (number >> bit) & 1).join(" ") || "none" }
        }))
        const recommendations = words.map((word, id) => ({
          id,
          status: "recommended",
          data: { type: "username", username: word }
        }))
        const write = (name: string, records: ReadonlyArray<unknown>) => {
          writeFileSync(join(there, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""))
        }
        write("events.ndjson", events)
        write("recommendations.ndjson", recommendations)
        const hashes = Array.from({ length: batch }, (_, number) => `hash-${number}`)
        write(
          "credentials.ndjson",
          hashes.map((credential_hash, id) => ({
            id,
            identity_name: `a${id}@kill.example.com`,
            imported_at: "2026-01-01T00:00:00Z",
            credential_hash
          }))
        )
        for (const kind of ["events", "credentials"])
          assert.strictEqual((yield* run(there, "load", kind, `${kind}.ndjson`, ...flags)).code, 0)
        yield* run(there, "recommendations", "load", "--tenant", "1", "recommendations.ndjson", ...flags)

        /** Runs `work` with a service that is killed at the end. */
        const serveAndKill = <A, E>(work: (url: string) => Effect.Effect<A, E, Scope.Scope>) =>
          Effect.scoped(Effect.flatMap(serving(there, ...flags), ({ url }) => work(url)))
        /** Asks again while the machine is too busy for an answer in time. */
        const ask = Effect.fnUntraced(function* (url: string, method: string, path: string, body?: unknown) {
          for (;;) {
            const { status, text } = yield* call(url, token, method, path, body)
            const answer: { status: number; body: any } = { status, body: text === "" ? undefined : JSON.parse(text) }
            if (status !== 503) return answer
            yield* Effect.promise(() => pause(1_000))
          }
        })
        const all = Effect.fnUntraced(function* (url: string, method: "GET" | "POST", path: string) {
          const items: Array<any> = []
          let from: string | null = null
          do {
            const next: { status: number; body: any } =
              method === "GET"
                ? yield* ask(url, method, `${path}?size=100${from === null ? "" : `&from=${encodeURIComponent(from)}`}`)
                : yield* ask(url, method, path, { size: 10, order: "asc", from })
            assert.strictEqual(next.status, 200)
            items.push(...next.body.items)
            from = next.body.next
          } while (from !== null)
          return items
        })
        const numbersOf = (items: ReadonlyArray<any>) => items.map(({ metadata }) => Number(metadata.uid.split("/")[2]))
        const keyword = (word: string, more: object = {}) => ({
          data: { type: "keyword", keyword: word },
          categories: [],
          emerging_categories: [],
          severities: [],
          ...more
        })

        const targetsOf = (word: string) =>
          matchesOf(word)
            .slice(0, batch)
            .map((number) => ({ uid: `paste/a/${number}` }))
        /** Repeats the count until all of a batch is done, or none of it. */
        const untilWhole = Effect.fnUntraced(function* (countDone: Effect.Effect<number, unknown>, whole = batch) {
          for (let done = yield* countDone; done !== 0 && done !== whole; done = yield* countDone) {
            yield* Effect.promise(() => pause(200))
          }
        })

        interface Step {
          readonly change: (typeof changes)[number]
          readonly kind: number
          readonly round: number
        }
        const begin = Effect.fnUntraced(function* (url: string, { change, kind, round }: Step) {
          const [before = "", after = ""] = [words[(round + kind) % 4], words[(round + kind + 1) % 4]]
          const group = (yield* ask(url, "POST", "/v2/assets/groups/", { name: "a" })).body.assets_group.id
          const startedAt = performance.now()
          const { id } = (yield* ask(url, "POST", "/v4/identifiers/", keyword(before, { group_id: group }))).body
          const took = performance.now() - startedAt
          const path = `/v4/identifiers/${id}`
          const others = yield* Effect.forEach(
            Array.from({ length: ["assign", "clean", "unassign", "delete policy"].includes(change) ? batch - 1 : 0 }),
            () => ask(url, "POST", "/v4/identifiers/", keyword(before)),
            { concurrency: 4 }
          )
          const keywords = change === "clean" ? [after] : words
          const policy = { name: "a", type: "INCLUDED_KEYWORDS", value: { keywords } }
          const { uuid } = (yield* ask(url, "POST", "/v4/matching-policies", policy)).body
          const assign = [
            "POST",
            `/v4/matching-policies/${uuid}/assignments`,
            { identifier_ids: [id, ...others.map(({ body }) => body.id)], clean_past_events: change === "clean" }
          ] as const
          if (change === "unassign" || change === "delete policy") yield* ask(url, ...assign)
          if (change === "enable") yield* ask(url, "PUT", path, keyword(before, { is_disabled: true }))
          if (change === "ignore credentials") {
            yield* ask(url, "POST", "/v4/identifiers/", {
              ...keyword(before),
              data: { type: "domain", fqdn: "kill.example.com" }
            })
          }
          const targets = recommendations.map(({ id }) => ({ id }))
          const recommended = "/v4/identifier-recommendations/actions"
          if (change === "reject") yield* ask(url, "POST", recommended, { targets, action: { type: "accept" } })
          const request = {
            create: ["POST", "/v4/identifiers/", keyword(after)],
            change: ["PUT", path, keyword(after)],
            disable: ["PUT", path, keyword(before, { is_disabled: true })],
            enable: ["PUT", path, keyword(before, { is_disabled: false })],
            delete: ["DELETE", path],
            ignore: ["POST", "/v4/events/actions", { targets: targetsOf(before), action: { type: "ignore" } }],
            "ignore credentials": [
              "POST",
              "/v4/credentials/actions",
              { targets: hashes.map((credential_hash) => ({ credential_hash })), action: { type: "ignore" } }
            ],
            assign,
            clean: assign,
            unassign: ["DELETE", ...assign.slice(1)],
            "delete policy": ["DELETE", `/v4/matching-policies/${uuid}`],
            "delete group": ["DELETE", `/v2/assets/groups/${group}`],
            accept: ["POST", recommended, { targets, action: { type: "accept" } }],
            reject: ["POST", recommended, { targets, action: { type: "reject" } }],
            "add users": [
              "POST",
              "/v2/tenants/1/users",
              { users: hashes.map((_, at) => ({ user_id: at, is_readonly: true, role: `${round}` })) }
            ]
          }[change] as [string, string, unknown?]
          // The service may be killed before it answers.
          yield* Effect.forkScoped(Effect.ignoreCause(ask(url, ...request)))
          yield* Effect.promise(() => pause((took * ((round * 37 + kind * 11) % 20)) / 10))
        })
        const verify = Effect.fnUntraced(function* (url: string, { change, round }: Step) {
          const { assets_groups } = (yield* ask(url, "GET", "/v2/assets/groups/")).body
          const groups = new Set(assets_groups.map(({ id }: { id: number }) => id))
          const isCompleted = ({ enrichments, group_id }: { enrichments: unknown; group_id: number | null }) =>
            enrichments !== null && (group_id === null || groups.has(group_id))
          let identifiers = yield* all(url, "GET", "/v4/identifiers/")
          while (!identifiers.every(isCompleted)) {
            yield* Effect.promise(() => pause(200))
            identifiers = yield* all(url, "GET", "/v4/identifiers/")
          }
          const what = `${change}, round ${round}`
          const policies = (yield* ask(url, "GET", "/v4/matching-policies")).body.items
          const kept = new Map<number, ReadonlyArray<number>>()
          for (const { uuid, value } of policies) {
            const assignments = ask(url, "GET", `/v4/matching-policies/${uuid}/assignments`)
            yield* untilWhole(Effect.map(assignments, ({ body }) => body.items.length))
            const { body } = yield* assignments
            for (const { clean_past_events, identifier_id } of body.items) {
              if (clean_past_events === true) kept.set(identifier_id, value.keywords.flatMap(matchesOf))
            }
          }
          for (const { data, id, is_disabled } of identifiers) {
            const matches = data.type === "keyword" ? matchesOf(data.keyword) : []
            const expected = matches.filter((number) => kept.get(id)?.includes(number) !== false)
            const search = all(url, "POST", `/v4/events/identifiers/${id}/_search`)
            let found = numbersOf(yield* search)
            // The new service completes the removal.
            while (found.length > expected.length) {
              yield* Effect.promise(() => pause(200))
              found = numbersOf(yield* search)
            }
            const { enrichments } = (yield* ask(url, "GET", `/v4/identifiers/${id}`)).body
            assert.deepStrictEqual(found, expected, `${what}: ${JSON.stringify(data)}, disabled ${is_disabled}`)
            assert.strictEqual(enrichments.event_count, expected.length, what)
          }
          const ofTenant = yield* all(url, "POST", "/v4/events/tenant/_search")
          const ids = new Set(identifiers.map(({ id }) => id))
          for (const { identifiers } of ofTenant) {
            assert.isNotEmpty(identifiers, what)
            for (const { id } of identifiers) assert.isTrue(ids.has(id), what)
          }
          const ignored = { size: 10, filters: { status: ["ignored"] } }
          yield* untilWhole(
            Effect.map(ask(url, "POST", "/v4/events/tenant/_search", ignored), ({ body }) => body.items.length)
          )
          const uuids = policies.map(({ uuid }: { uuid: string }) => uuid)
          for (const id of ids) {
            const ofIdentifier = (yield* ask(url, "GET", `/v4/matching-policies/by_identifier_id/${id}`)).body
            for (const { matching_policy } of ofIdentifier) assert.include(uuids, matching_policy.uuid, what)
          }
          for (const uuid of uuids) yield* ask(url, "DELETE", `/v4/matching-policies/${uuid}`)
          const credentials = all(url, "GET", "/v2/me/feed/credentials")
          yield* untilWhole(
            Effect.map(credentials, (items) => items.filter(({ ignored_at }) => ignored_at != null).length)
          )
          const unignore = {
            targets: hashes.map((credential_hash) => ({ credential_hash })),
            action: { type: "unignore" }
          }
          assert.strictEqual((yield* ask(url, "POST", "/v4/credentials/actions", unignore)).status, 200, what)
          const users = ask(url, "GET", "/v2/tenants/1/users")
          yield* untilWhole(
            Effect.map(
              users,
              ({ body }) => body.users.filter(({ role }: { role: string }) => role === `${round}`).length
            )
          )
          for (const { metadata } of (yield* ask(url, "POST", "/v4/events/tenant/_search", ignored)).body.items) {
            const open = { targets: [{ uid: metadata.uid }], action: { type: "unignore" } }
            assert.strictEqual((yield* ask(url, "POST", "/v4/events/actions", open)).status, 200, what)
          }
          const usernames = Effect.map(all(url, "GET", "/v4/identifiers/"), (items) =>
            items.flatMap(({ data }) => (data.type === "username" ? [data.username] : []))
          )
          const accepted = Effect.map(all(url, "GET", "/v4/identifier-recommendations/"), (items) =>
            items.filter(({ status }) => status === "accepted")
          )
          // A rejected recommendation keeps the identifier that it created when it was accepted before.
          const isDone = (decided: number, created: number) => created === decided || change === "reject"
          yield* untilWhole(
            Effect.zipWith(accepted, usernames, (decided, created) =>
              isDone(decided.length, created.length) ? decided.length : Number.NaN
            ),
            words.length
          )
          assert.sameMembers([...new Set(yield* usernames)], yield* usernames, what)
          // With few identifiers, the next round is short.
          for (const { id } of yield* all(url, "GET", "/v4/identifiers/"))
            yield* ask(url, "DELETE", `/v4/identifiers/${id}`)
          yield* ask(url, "POST", "/v4/identifier-recommendations/actions", {
            targets: recommendations.map(({ id }) => ({ id })),
            action: { type: "reject" }
          })
        })
        const steps = Array.from({ length: rounds }, (_, round) =>
          changes.map((change, kind): Step => ({ change, kind, round }))
        ).flat()
        // The service that completes a change is killed during the next one.
        for (let at = 0; at <= steps.length; at += 1) {
          const [last, next] = [steps[at - 1], steps[at]]
          yield* serveAndKill(
            Effect.fnUntraced(function* (url) {
              if (last !== undefined) yield* verify(url, last)
              if (next !== undefined) yield* begin(url, next)
            })
          )
        }
      }).pipe(Effect.scoped),
    timeout * Math.ceil(rounds / 5)
  )
})

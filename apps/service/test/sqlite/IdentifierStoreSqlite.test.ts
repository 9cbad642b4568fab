import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { assetOf, IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { beginCreation } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { assignPolicy, MatchingPolicyStoreSqlite } from "@threat-exposure/service/sqlite/MatchingPolicyStoreSqlite"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { procedure } from "@threat-exposure/service/sqlite/database/Procedure"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { Effect, Layer } from "effect"
import { folder, run } from "../commands/Command.ts"

const now = "2026-01-01T00:00:00Z"

const paste = (id: number, content: string) => ({
  event_type: "paste",
  metadata: { uid: `paste/a/${id}`, severity: "low", estimated_created_at: new Date(id * 60_000).toISOString() },
  data: { title: "a", content }
})

it.live("a service completes what was cut off, and removes matches that policies or deletions end, step by step", () =>
  Effect.gen(function* () {
    const there = yield* folder
    const files = databaseFiles(join(there, "threat-exposure.sqlite"))
    const load = (events: ReadonlyArray<unknown>) => {
      writeFileSync(join(there, "events.ndjson"), events.map((event) => `${JSON.stringify(event)}\n`).join(""))
      return run(there, "load", "events", "events.ndjson")
    }
    const open = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(work, sqliteSameThread(files))
    // More events than one transaction matches.
    const stored = Array.from({ length: 10_050 }, (_, id) =>
      paste(id, id === 7 ? "common and deleted" : "common words")
    )
    assert.strictEqual((yield* load(stored)).code, 0)

    const begin = (tenantId: number) =>
      Database.use(({ write }) => write(beginCreation, { tenantId, asset: assetOf({ name: "common" }, "a", now) }))
    const id = yield* open(begin(1))
    const ofDeletedTenant = yield* open(begin(2))
    yield* load([
      paste(3, "replaced by others"),
      paste(4, "common, and more"),
      paste(20_000, "common, and later"),
      paste(20_001, "others")
    ])
    yield* run(there, "events", "delete", "--query", '{"type":"keyword","keyword":"deleted"}', "--yes")
    yield* run(there, "tenants", "delete", "2", "--yes")

    yield* open(
      Effect.gen(function* () {
        const { connection } = yield* Database
        const one = (sql: string, ...values: ReadonlyArray<number>) =>
          Number(connection.prepare(sql).get(...values)?.["count"])
        while (one("SELECT count(*) AS count FROM identifier_creations") > 0) yield* Effect.sleep("10 millis")
        const matches = "SELECT count(*) AS count FROM identifier_events WHERE identifier_id = ?"
        const expected = one("SELECT count(*) AS count FROM event_index WHERE event_index MATCH 'common'")
        assert.strictEqual(expected, stored.length - 1)
        assert.strictEqual(one(matches, id), expected)
        assert.strictEqual(one(matches, ofDeletedTenant), 0)

        const asset = assetOf({ name: "common" }, "b", now)
        const { insert } = yield* IdentifierStore
        const created = yield* insert({ tenantId: 1, asset })
        assert.strictEqual(created.count, expected)
        assert.strictEqual(one(matches, created.id), expected)

        const database = yield* Database
        const removed: Array<number> = []
        const counting = Layer.succeed(Database, {
          ...database,
          write: (procedure, input) =>
            Effect.suspend(() => {
              const before = one(matches, id)
              return Effect.tap(database.write(procedure, input), () =>
                Effect.sync(() => removed.push(before - one(matches, id)))
              )
            })
        })
        const uuid = PolicyUuid.make("5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10")
        yield* Effect.gen(function* () {
          const policies = yield* MatchingPolicyStore
          yield* policies.insert({
            tenantId: 1,
            name: "More",
            type: "INCLUDED_KEYWORDS",
            value: { keywords: ["more"] },
            uuid,
            createdAt: now
          })
          const assigned = { tenantId: 1, uuid, identifierIds: [id], cleanPastEvents: true, assignedAt: now }
          yield* policies.assign(assigned)
        }).pipe(Effect.provide(Layer.provide(Layer.fresh(MatchingPolicyStoreSqlite), counting)))
        assert.strictEqual(one(matches, id), 1)
        assert.strictEqual(one(matches, created.id), expected)
        // The transactions are short, so that others can take the write lock in between.
        assert.isAtLeast(removed.filter((matches) => matches > 0).length, 2)

        // The state after a service was killed when it had stored the assignment.
        const assigned = { tenantId: 1, uuid, identifierIds: [created.id], cleanPastEvents: true, assignedAt: now }
        assert.isNumber((yield* database.write(procedure("test.assign", assignPolicy), assigned))?.cleaning)
        assert.strictEqual(one(matches, created.id), expected)
      })
    )
    yield* open(
      Effect.gen(function* () {
        const { connection } = yield* Database
        const one = (sql: string) => Number(connection.prepare(sql).get()?.["count"])
        while (one("SELECT count(*) AS count FROM policy_cleanings") > 0) yield* Effect.sleep("10 millis")
        // One match of each of the two identifiers.
        assert.strictEqual(one("SELECT count(*) AS count FROM identifier_events"), 2)
        const { delete: remove } = yield* IdentifierStore
        yield* remove(1, id)
        while (one("SELECT count(*) AS count FROM identifiers") > 1) yield* Effect.sleep("10 millis")
        assert.strictEqual(one("SELECT count(*) AS count FROM identifier_events"), 1)
      })
    )
  }).pipe(Effect.scoped)
)

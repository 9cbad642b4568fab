import { assert, describe, it } from "@effect/vitest"
import type { EventListing } from "@threat-exposure/service/events/EventStore"
import { expressionOf } from "@threat-exposure/service/matching/EventQueries"
import { matchAll, matchNone } from "@threat-exposure/service/search/Expression"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { findBroadPrefixes, withoutPrefixes } from "@threat-exposure/service/sqlite/events/BroadPrefixes"
import { loadEventsJob } from "@threat-exposure/service/testing/PublishedRecords"
import { selectEvents } from "@threat-exposure/service/sqlite/events/EventSelection"
import { Effect, Result } from "effect"
import { DatabaseForTest } from "../../DatabaseForTest.ts"
import { eventForTest } from "../../ServiceForTest.ts"

const events = Array.from({ length: 300 }, (_, number) =>
  eventForTest(number, number % 3 === 0 ? "paste" : "forum_post", {
    title: `alpha${number % 7} seen`,
    content: `beta${number % 11} alpine ${number % 5 === 0 ? "gamma delta" : "gate"}`
  })
)

const queries = [
  "al*",
  "alpha1*",
  "be* ga*",
  "title:al* AND content:gamma",
  "al* AND NOT gam*",
  "gate NOT alpha*",
  '"gamma delta" OR beta3*',
  "content:ze* OR alpha3",
  "type:paste AND (beta1* OR gamm*)",
  "NOT al*"
]

const parse = (database: Database["Service"], query_string: string) =>
  Result.getOrThrow(expressionOf(database.vault, { type: "query_string", query_string }))

describe("BroadPrefixes", () => {
  it.effect("finds the same events however few entries a statement may merge", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.write(loadEventsJob, { events, now: "2026-01-01T00:00:00Z" })
      let found = 0
      for (const query of queries) {
        const expression = parse(database, query)
        const input: EventListing = {
          tenantId: 1,
          matchedTo: undefined,
          expression,
          keyId: database.vault.keyId,
          filters: {
            types: undefined,
            severities: undefined,
            since: undefined,
            until: undefined,
            tags: undefined,
            statuses: undefined,
            arrivedSince: undefined,
            arrivedUntil: undefined
          },
          order: "desc",
          size: 1_000,
          after: undefined
        }
        const uidsWith = (maxEntries: number) => {
          const slice = { input, progress: undefined, time: 600_000 }
          const selected = database.connection.snapshot(() => selectEvents(database, slice, { maxEntries }))
          return selected.isDone ? selected.output.map(({ uid }) => uid) : []
        }
        const uids = uidsWith(Number.POSITIVE_INFINITY)
        found += uids.length
        assert.deepStrictEqual(uidsWith(0), uids, query)
        assert.deepStrictEqual(uidsWith(100), uids, query)
      }
      assert.isAbove(found, events.length)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("counts the entries of all prefixes of a search together", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.write(loadEventsJob, { events, now: "2026-01-01T00:00:00Z" })
      const broadIn = (query: string, maxEntries: number) =>
        findBroadPrefixes(database.connection, parse(database, query), maxEntries)
      // Each title contains one word with the first prefix, and each content one with the second.
      assert.deepStrictEqual(broadIn("alpha* beta*", 600), [])
      assert.deepStrictEqual(broadIn("alpha* beta*", 599), ["beta"])
      assert.deepStrictEqual(broadIn("alpha* beta*", 299), ["alpha", "beta"])
      assert.deepStrictEqual(broadIn("alpha* OR NOT alpha*", 300), [])
      assert.deepStrictEqual(broadIn("seen alpine", 0), [])
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("leaves out of an expression what could exclude a match", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const without = (query: string) => withoutPrefixes(parse(database, query), ["al"])
      assert.deepStrictEqual(without("al*"), matchAll)
      assert.deepStrictEqual(without("NOT al*"), matchAll)
      assert.deepStrictEqual(without("gate AND al*"), parse(database, "gate"))
      assert.deepStrictEqual(without("gate NOT al*"), parse(database, "gate"))
      assert.deepStrictEqual(without("gate OR al*"), matchAll)
      assert.deepStrictEqual(without("NOT (gate al*)"), parse(database, "NOT gate"))
      assert.deepStrictEqual(without("be*"), parse(database, "be*"))
      assert.deepStrictEqual(without("NOT (be* NOT al*)"), matchAll)
      assert.deepStrictEqual(withoutPrefixes(parse(database, "al*"), ["al"], matchNone), matchNone)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { expressionOf } from "@threat-exposure/service/matching/EventQueries"
import { loadEventsJob } from "@threat-exposure/service/testing/PublishedRecords"
import { eventDocument } from "@threat-exposure/service/events/EventDocument"
import { matches } from "@threat-exposure/service/search/Expression"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { fullTextQuery } from "@threat-exposure/service/sqlite/database/FullTextQuery"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../../DatabaseForTest.ts"
import { eventForTest } from "../../ServiceForTest.ts"

const word = fc.constantFrom("a", "ab", "abc", "b", "é", "c3", "x@a.example.com", "192.0.2.1", "password: b", "ab:c")
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "))
const data = fc.record({
  title: text,
  content: text,
  actor: fc.record({ name: text }),
  url: text,
  more: fc.array(text, { maxLength: 2 })
})

const query = fc.letrec<{ any: string; clause: string }>((tie) => ({
  any: fc
    .array(fc.tuple(fc.constantFrom("", "AND ", "OR ", "NOT "), tie("clause")), { minLength: 1, maxLength: 4 })
    .map((clauses) =>
      clauses.map(([operator, clause], index) => (index === 0 ? clause : `${operator}${clause}`)).join(" ")
    ),
  clause: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(
      "a",
      "ab",
      "ab*",
      "abc",
      '"a b"',
      '"b a"',
      '"ab c"',
      "title:a",
      'content:"a ab"',
      "actor:b",
      "domain:example.com",
      "ip:192.0.2.1",
      "password"
    ),
    tie("any").map((inner) => `(${inner})`)
  )
})).any

describe("FullTextQuery", () => {
  it.effect("finds the stored events that the expression matches in memory", () =>
    Effect.gen(function* () {
      const { connection, vault, write } = yield* Database
      const events = fc
        .sample(data, { seed: 8, numRuns: 150 })
        .map((data, number) => eventForTest(number, number % 3 === 0 ? "paste" : "forum_post", data))
      yield* write(loadEventsJob, { events, now: "2026-01-01T00:00:00Z" })
      const indexed = events.map((event) => [event.metadata.uid, eventDocument(vault, event)] as const)
      const statement = connection.prepare(
        "SELECT uid FROM event_index CROSS JOIN events e ON e.id = event_index.rowid WHERE event_index MATCH ? ORDER BY event_index.rowid"
      )
      let finds = 0
      fc.assert(
        fc.property(query, (query_string) => {
          const parsed = expressionOf(vault, { type: "query_string", query_string })
          if (Result.isFailure(parsed)) return
          const found = statement.all(fullTextQuery(vault, parsed.success)).map(({ uid }) => String(uid))
          finds += found.length === 0 || found.length === events.length ? 0 : 1
          assert.deepStrictEqual(
            found,
            indexed.filter(([, event]) => matches(parsed.success, event)).map(([uid]) => uid)
          )
        }),
        { seed: 9, numRuns: 1_000 }
      )
      assert.isAbove(finds, 500)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

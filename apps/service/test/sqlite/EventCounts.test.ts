import { assert, layer } from "@effect/vitest"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { EventDeletion } from "@threat-exposure/service/events/EventDeletion"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { isPublished } from "@threat-exposure/service/sqlite/database/Generations"
import { beginCreation, matchNext } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { Effect } from "effect"
import { DatabaseForTest } from "../DatabaseForTest.ts"
import { eventForTest, loadForTest } from "../ServiceForTest.ts"

const now = "2026-01-01T00:00:00Z"

layer(DatabaseForTest)("the number of events of an identifier", (it) => {
  it.effect("is that of its visible matches after every step, in a load as well", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const { connection } = database
      const targets = yield* LoadTargets
      const { select } = yield* EventDeletion
      const countMatches = () =>
        connection.tuples("SELECT identifier_id, count FROM event_counts WHERE count <> 0 ORDER BY identifier_id")
      const scanMatches = () =>
        connection.tuples(
          `SELECT m.identifier_id, count(*) FROM identifier_events m JOIN events e ON e.id = m.event_id
           WHERE ${isPublished("e", "events")} GROUP BY m.identifier_id ORDER BY m.identifier_id`
        )
      const check = (step: string) => assert.deepStrictEqual(countMatches(), scanMatches(), step)
      const paste = (number: number, content: string) => eventForTest(number, "paste", { content })
      const create = Effect.fnUntraced(function* (name: string) {
        const id = yield* database.write(beginCreation, { tenantId: 1, asset: assetOf({ name }, name, now) })
        while (!(yield* database.write(matchNext, id)));
        return id
      })

      const alpha = yield* create("alpha")
      yield* loadForTest(targets.events, [paste(1, "alpha beta"), paste(2, "beta"), paste(3, "alpha")])
      check("a load")
      const beta = yield* create("beta")
      check("a creation")
      assert.deepStrictEqual(countMatches(), [
        [alpha, 2],
        [beta, 2]
      ])

      // Begins a load: its events are written, but not published.
      const begin = Effect.gen(function* () {
        const target = yield* targets.events({ keep: false, strict: false, now })
        const publisher = yield* target.publisher
        const write = Effect.fnUntraced(function* (...events: ReadonlyArray<unknown>) {
          const text = Buffer.from(events.map((event) => JSON.stringify(event)).join("\n"))
          yield* publisher.write(
            yield* Effect.promise(() => target.prepare({ text, format: { type: "lines" }, firstNumber: 1 }))
          )
        })
        return { publisher, write }
      })
      const changes = [paste(1, "gamma"), paste(2, "beta alpha"), paste(4, "gamma beta")]
      yield* Effect.gen(function* () {
        const { write } = yield* begin
        yield* write(...changes)
        check("an unpublished load")
        yield* write(paste(4, "gamma"))
        check("an event that is replaced within a load")
        yield* create("gamma")
        check("a creation in a load")
      }).pipe(Effect.scoped)
      yield* Effect.gen(function* () {
        // The second load removes what the first one left behind.
        const { publisher, write } = yield* begin
        check("a load that ended early")
        assert.deepStrictEqual(countMatches(), [
          [alpha, 2],
          [beta, 2]
        ])
        yield* write(...changes)
        yield* create("alpha")
        const deletion = yield* select({
          query: { type: "keyword", keyword: "alpha" },
          createdBefore: Date.UTC(2026, 0, 1, 0, 2) * 1_000
        })
        assert.strictEqual(deletion.count, 1)
        yield* deletion.delete
        check("a deletion in a load")
        yield* yield* publisher.publish
        check("its publication")
      }).pipe(Effect.scoped)
      assert.isAtLeast(countMatches().length, 4)

      connection.run("DELETE FROM identifiers WHERE id = ?", alpha)
      check("a deleted identifier")
      connection.run("DELETE FROM identifier_events WHERE identifier_id = ? AND event_id % 2 = 0", beta)
      check("removed matches")
      yield* (yield* select({ query: undefined, createdBefore: 2 ** 52 })).delete
      check("the deletion of all events")
      assert.deepStrictEqual(countMatches(), [])
    })
  )
})

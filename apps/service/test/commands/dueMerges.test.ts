/** Merges of the index of credentials that loads left to be done, in a service that has nothing else to do. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { runTables, tablesToSearch } from "@threat-exposure/service/sqlite/credentials/TermRuns"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { dataSets, PublicationLock, publicationLockPath } from "@threat-exposure/service/sqlite/database/Generations"
import { Effect } from "effect"
import { DatabaseForTest } from "../DatabaseForTest.ts"
import { createKey, ended, folder, line, run, search, serving, timeout, until } from "./Command.ts"

/** The number of runs of similar size that are merged. */
const due = 8

/** Distributes the entries to runs whose merge is due, each with `more` entries that no search finds. */
const divide = (connection: Connection, more: number): void =>
  connection.transaction(() => {
    connection.run("UPDATE credential_term_runs SET entries = ?", more)
    for (const [number, table] of runTables.slice(0, due).entries()) {
      if (number > 0) {
        const isMoved = `version < ${first} AND version / 2 % ${due} = ${number}`
        connection.run(`INSERT INTO ${table} SELECT * FROM credential_terms WHERE ${isMoved}`)
        connection.run(`DELETE FROM credential_terms WHERE ${isMoved}`)
        connection.insert("credential_term_runs", { run: number, entries: more })
      }
      connection.run(
        `INSERT INTO ${table} WITH RECURSIVE numbers (number) AS
           (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${more})
         SELECT abs(number * 7919 % 2147483647), 0, ${first} + number * ${due} + ${number} FROM numbers`
      )
    }
  })

/** The first version of the entries that no search finds. */
const first = 1_000_000

const entriesIn = (connection: Connection): ReadonlyArray<unknown> =>
  connection.snapshot(() => {
    const all = tablesToSearch(connection).map((table) => `SELECT * FROM ${table}`)
    return connection.tuples(`SELECT count(*), sum(term % 1000003), sum(version) FROM (${all.join(" UNION ALL ")})`)
  })

const runsIn = (connection: Connection): number => connection.snapshot(() => tablesToSearch(connection).length)

describe("a service without requests", () => {
  it.live(
    "merges runs of the index of credentials, and loses no entry when it is killed meanwhile",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const where = yield* folder
          writeFileSync(join(where, "a.ndjson"), Array.from({ length: 40 }, (_, id) => line(id)).join(""))
          yield* run(where, "load", "credentials", "a.ndjson")
          const token = yield* createKey(where, "1", "read-tenant")
          using connection = new Connection(join(where, "threat-exposure.sqlite"))
          divide(connection, 30_000)
          const entries = entriesIn(connection)
          const hasBegun = () =>
            connection.has("FROM credential_term_runs WHERE sources IS NOT NULL") || runsIn(connection) < due
          for (const signal of ["SIGKILL", "SIGTERM"] as const) {
            const { child } = yield* serving(where)
            yield* Effect.promise(() => until(hasBegun))
            child.kill(signal)
            yield* Effect.promise(() => ended(child))
            assert.deepStrictEqual(entriesIn(connection), entries)
          }
          const { child, url } = yield* serving(where)
          while (runsIn(connection) > 1) {
            for (const id of [3, 17]) {
              const { body } = yield* search(url, token, { type: "email", email: `a${id}@example.com` })
              assert.deepStrictEqual(
                body.items.map((item) => item.id),
                [id]
              )
            }
            assert.deepStrictEqual(entriesIn(connection), entries)
          }
          assert.deepStrictEqual(entriesIn(connection), entries)
          yield* Effect.promise(() =>
            until(() => runTables.slice(0, due).every((table) => !connection.has(`FROM ${table}`)))
          )
          child.kill("SIGTERM")
          assert.strictEqual(yield* Effect.promise(() => ended(child)), 0)
        })
      ),
    timeout
  )
})

describe("mergeIndex", () => {
  it.effect("merges nothing beside a load of another process", () =>
    Effect.gen(function* () {
      const { connection, files } = yield* Database
      const { mergeIndex } = yield* LoadTargets
      divide(connection, 1_000)
      const entries = entriesIn(connection)
      for (const dataSet of dataSets) {
        using lock = new PublicationLock(publicationLockPath(files.file, dataSet))
        assert.isTrue(lock.take())
        assert.isFalse(yield* mergeIndex)
        assert.strictEqual(connection.count("FROM credential_term_runs"), due)
      }
      while (yield* mergeIndex);
      assert.strictEqual(runsIn(connection), 1)
      assert.deepStrictEqual(entriesIn(connection), entries)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

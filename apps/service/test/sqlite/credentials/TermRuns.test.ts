import { assert, describe, it } from "@effect/vitest"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import type { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import {
  forgetOtherRuns,
  mergeRuns,
  runTables,
  tablesOfTerm,
  tablesToSearch,
  tableForEntries,
  writtenTables
} from "@threat-exposure/service/sqlite/credentials/TermRuns"
import { Effect } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../../DatabaseForTest.ts"

type Entry = readonly [term: number, importedAt: number, version: number]

const entriesIn = (connection: Connection, tables: ReadonlyArray<string>): ReadonlyArray<string> =>
  tables
    .flatMap((table) => connection.tuples(`SELECT term, imported_at, version FROM ${table}`))
    .map(String)
    .toSorted()

const add = (connection: Connection, entries: ReadonlyArray<Entry>, maxEntries: number): void =>
  connection.transaction(() => {
    const table = tableForEntries(connection, entries.length, maxEntries)
    for (const entry of entries) connection.run(`INSERT INTO ${table} VALUES (?, ?, ?)`, ...entry)
  })

/** Merges runs, with a transaction per step, as in a load. Stops after `steps`, like a killed load. */
const merge = (connection: Connection, steps = Number.POSITIVE_INFINITY, maxRows = Number.POSITIVE_INFINITY): void => {
  const merging = mergeRuns(connection, { fanIn: 2, maxRows, rowsAtOnce: 2 })
  for (let step = 0; step < steps; step += 1) if (connection.transaction(() => merging.next()).done === true) return
}

const entry = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.nat({ max: 2 }))
const change = fc.oneof(
  fc.record({ added: fc.array(entry, { minLength: 1, maxLength: 8 }) }),
  fc.record({ removed: fc.nat() }),
  fc.record({ steps: fc.nat({ max: 12 }) }),
  fc.record({ maxRows: fc.nat({ max: 12 }) })
)

describe("TermRuns", () => {
  it.effect("keeps every entry once, whatever is added, removed, merged and interrupted", () =>
    Effect.gen(function* () {
      const { connection } = yield* Database
      let merged = 0
      fc.assert(
        fc.property(fc.array(change, { minLength: 10, maxLength: 60 }), fc.nat({ max: 20 }), (changes, maxEntries) => {
          connection.transaction(() => forgetOtherRuns(connection))
          connection.transaction(() => connection.run("DELETE FROM credential_terms"))
          connection.transaction(() => connection.run("UPDATE credential_term_runs SET entries = 0"))
          const stored = new Map<number, Entry>()
          let version = 0
          const check = () => {
            const entries = entriesIn(connection, tablesToSearch(connection))
            assert.deepStrictEqual(entries, [...stored.values()].map(String).toSorted())
            for (const term of [-2, -1, 0, 1, 2]) {
              const ofTerm = (entries: ReadonlyArray<string>) => entries.filter((entry) => entry.startsWith(`${term},`))
              assert.deepStrictEqual(
                ofTerm(entriesIn(connection, tablesOfTerm(connection, BigInt(term)))),
                ofTerm(entries)
              )
            }
          }
          for (const each of changes) {
            if ("added" in each) {
              const entries = each.added.map(([term, importedAt]): Entry => [term, importedAt, (version += 1)])
              for (const added of entries) stored.set(added[2], added)
              add(connection, entries, maxEntries)
            } else if ("removed" in each) {
              const removed = [...stored.values()][each.removed % Math.max(1, stored.size)]
              if (removed === undefined) continue
              stored.delete(removed[2])
              connection.transaction(() => {
                for (const table of writtenTables(connection)) {
                  connection.run(`DELETE FROM ${table} WHERE term = ? AND imported_at = ? AND version = ?`, ...removed)
                }
              })
            } else if ("steps" in each) merge(connection, each.steps)
            else merge(connection, undefined, each.maxRows)
            check()
          }
          const before = tablesToSearch(connection).length
          merge(connection)
          check()
          merged += before - tablesToSearch(connection).length
          assert.deepStrictEqual(entriesIn(connection, runTables), entriesIn(connection, tablesToSearch(connection)))
        }),
        { seed: 3, numRuns: 40 }
      )
      assert.isAbove(merged, 25)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("copies a limited number of entries, and continues at the next call", () =>
    Effect.gen(function* () {
      const { connection } = yield* Database
      const entries = Array.from({ length: 60 }, (_, version): Entry => [version, 0, version])
      for (let run = 0; run < 2; run += 1) add(connection, entries.slice(run * 30, run * 30 + 30), 30)
      const tables = tablesToSearch(connection)
      for (let calls = 1; calls <= 5; calls += 1) {
        merge(connection, undefined, 10)
        assert.deepStrictEqual(tablesToSearch(connection), tables)
        const target = writtenTables(connection).find((table) => !tables.includes(table)) ?? ""
        assert.lengthOf(entriesIn(connection, [target]), calls * 10)
      }
      merge(connection)
      assert.lengthOf(tablesToSearch(connection), 1)
      assert.lengthOf(entriesIn(connection, tablesToSearch(connection)), 60)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("fills a run before it begins the next one, and finds a place however many runs there are", () =>
    Effect.gen(function* () {
      const { connection } = yield* Database
      const tables = Array.from({ length: 60 }, () =>
        connection.transaction(() => {
          const table = tableForEntries(connection, 10, 20)
          connection.run(`INSERT OR IGNORE INTO ${table} VALUES (1, 1, 1)`)
          return table
        })
      )
      assert.deepStrictEqual(
        tables.slice(0, 48),
        runTables.flatMap((table) => [table, table])
      )
      assert.lengthOf(new Set(tables), runTables.length)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

/** Which identifiers an event matches, with 1,000 to 100,000 phrase identifiers, beside trying each of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { eventLoader } from "@threat-exposure/service/sqlite/events/EventLoader"
import { prepareEvent, type PreparedEvent } from "@threat-exposure/service/events/PreparedEvent"
import { publishWhole } from "@threat-exposure/service/testing/PublishedRecords"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { beginCreation } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { keywordExpression } from "@threat-exposure/service/matching/EventQueries"
import { learnIdentifiers } from "@threat-exposure/service/sqlite/IdentifierPercolator"
import { matches } from "@threat-exposure/service/search/Expression"
import { Percolator } from "@threat-exposure/service/search/Percolator"
import { fields } from "@threat-exposure/service/search/SearchDocument"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import { eventAt, phraseAt } from "./SyntheticEvents.ts"
import { median, printTable, type Row } from "./Table.ts"

const events = Number(process.env["EVENTS"] ?? 5_000)
const sizes = [1_000, 10_000, 100_000]
const now = "2026-01-01T00:00:00Z"

const perSecond = (count: number, work: () => void): number => {
  const startedAt = performance.now()
  work()
  return (count / (performance.now() - startedAt)) * 1_000
}

const spoken = (rate: number) => `${Math.round(rate).toLocaleString("en-GB")} events/s`

const documentOf = ({ terms, words }: PreparedEvent) => ({
  texts: fields.map((field, at) => ({ field, words: (words[at] ?? "").split(" ").map((text) => ({ text })) })),
  terms
})

const measure = (identifiers: number) =>
  Effect.gen(function* () {
    const { connection, vault } = yield* Database
    const database = { connection, vault }
    const prepared = Array.from({ length: events }, (_, index) => prepareEvent(vault, eventAt(index)))
    const documents = prepared.map(documentOf)
    const expressions = Array.from({ length: identifiers }, (_, index) => keywordExpression(vault, phraseAt(index)))

    const percolator = new Percolator()
    for (const [id, expression] of expressions.entries()) percolator.add(id, expression)
    let found = 0
    const rates = [0, 1, 2].map(() =>
      perSecond(events, () => {
        found = 0
        for (const document of documents) found += percolator.match(document).length
      })
    )
    const few = Math.max(1, Math.round(2_000_000 / identifiers / 10))
    const naive = perSecond(few, () => {
      for (const document of documents.slice(0, few)) {
        const expected = expressions.filter((expression) => matches(expression, document)).length
        if (expected !== percolator.match(document).length) throw new Error("The percolator found something else")
      }
    })

    connection.transaction(() => {
      for (const index of expressions.keys()) {
        beginCreation.run(database, { tenantId: 1, asset: assetOf({ name: phraseAt(index) }, `${index}`, now) })
      }
    })
    const learningAt = performance.now()
    learnIdentifiers(database)
    const learnedIn = performance.now() - learningAt
    const stored = perSecond(events, () => {
      connection.transaction(() => publishWhole(database, eventLoader.store, [prepared], now))
    })
    const rate = median(rates)
    const count = identifiers.toLocaleString("en-GB")
    const isGoal = identifiers === 10_000
    return [
      {
        what: `percolation with ${count} phrase identifiers, ${(found / events).toFixed(2)} matches an event`,
        ours: spoken(rate),
        peer: `trying each: ${spoken(naive)}`,
        ratio: `${(rate / naive).toFixed(0)} times as fast`,
        target: isGoal ? "5,000 events/s" : "",
        reached: isGoal ? rate >= 5_000 : "not measured"
      },
      {
        what: `storing events, ${count} identifiers (learned in ${Math.round(learnedIn)} ms, outside the transaction)`,
        ours: spoken(stored),
        peer: "none",
        ratio: "",
        target: isGoal ? "5,000 events/s" : "",
        reached: isGoal ? stored >= 5_000 : "not measured"
      }
    ] satisfies ReadonlyArray<Row>
  })

const rows: Array<Row> = []
for (const identifiers of sizes) {
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
  const files = databaseFiles(join(folder, "bench.sqlite"))
  rows.push(
    ...(await Effect.runPromise(measure(identifiers).pipe(Effect.provide(sqliteSameThread(files))))
      // The database is already closed.
      .finally(() => rmSync(folder, { recursive: true, force: true })))
  )
}
printTable(`Percolation, ${events.toLocaleString("en-GB")} events (load average ${loadavg()[0]?.toFixed(1)})`, rows)

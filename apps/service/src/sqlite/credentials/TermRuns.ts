/**
 * The index of the terms of credentials, as a log-structured merge tree (https://doi.org/10.1007/s002360050048). In a
 * single tree, each group of records would change pages all over the index, because terms are digests. Instead, the
 * entries of a group become a sorted run, and runs of similar size are merged. All entries of a version are in one run.
 * Only the process that holds the publication lock adds and merges runs; any process may delete entries at any time.
 */
import * as Schema from "effect/Schema"
import { type Connection, select } from "../database/Connection.ts"
import type { Steps } from "../database/Steps.ts"
import { RowsMissing } from "../database/RequiredRows.ts"
import { RecordForeign } from "../../requests/ForeignRecords.ts"
import { jsonColumn } from "../../requests/JsonText.ts"

/** The tables of the runs, by the number of the run. An unused table is empty, or about to be emptied. */
export const runTables: ReadonlyArray<string> = Array.from({ length: 24 }, (_, run) =>
  run === 0 ? "credential_terms" : `credential_terms_${run}`
)

export const tablesToSearch = (connection: Connection): ReadonlyArray<string> =>
  completeRuns(connection, "SELECT run FROM credential_term_runs WHERE sources IS NULL ORDER BY run").map(
    ({ table }) => table
  )

/**
 * The tables to search for a term. Most terms are in one run, and a union of all runs takes many times as long. Each set
 * of tables has its own statement, so a term in more than two runs is searched in all.
 */
export const tablesOfTerm = (connection: Connection, term: bigint): ReadonlyArray<string> => {
  const runs = completeRuns(connection, runsWithTerm, term)
  const found = runs.filter(({ hasTerm }) => hasTerm === 1)
  return (found.length > 2 ? runs : found).map(({ table }) => table)
}

/** The tables that may contain entries: those that a search reads, and the unfinished result of a merge. */
export const writtenTables = (connection: Connection): ReadonlyArray<string> =>
  connection.all(allRuns).map(({ run }) => tableOf(run))

/** The table for this number of new entries. The smallest run is filled up to a limit before a new one is begun. */
export const tableForEntries = (connection: Connection, entries: number, maxEntries = defaultMaxEntries): string => {
  const runs = connection.all(allRuns)
  const merging = new Set(runs.flatMap(({ run, sources }) => (sources === null ? [] : [run, ...sources])))
  const complete = runs.filter(({ run }) => !merging.has(run)).toSorted((a, b) => a.entries - b.entries)
  const [smallest] = complete
  const free = freeRun(connection, runs)
  if (smallest !== undefined && (smallest.entries + entries <= maxEntries || free === undefined)) {
    connection.run("UPDATE credential_term_runs SET entries = entries + ? WHERE run = ?", entries, smallest.run)
    return tableOf(smallest.run)
  }
  if (free === undefined) throw new Error("Every run of the credential index is being merged")
  connection.insert("credential_term_runs", { run: free, entries })
  return tableOf(free)
}

/**
 * Merges runs until there are few enough, or until `maxRows` are copied, so that a small load does not wait for a merge
 * of millions. The next call continues. If nearly all tables are used, it does not stop at `maxRows`.
 */
export function* mergeRuns(
  connection: Connection,
  { fanIn = defaultFanIn, maxRows = defaultMaxRows, rowsAtOnce = 5_000 }: MergeOptions = {}
): Steps<void> {
  let rows = 0
  for (;;) {
    for (const table of runTables) {
      if (writtenTables(connection).includes(table) || isEmpty(connection, table)) continue
      // DELETE without a condition drops the pages of the table as a whole.
      connection.exec(`DELETE FROM ${table}`)
      yield
    }
    const merge = connection.all(allRuns).find(({ sources }) => sources !== null) ?? beginMerge(connection, fanIn)
    if (merge === undefined) return
    while (!copyNext(connection, merge, rowsAtOnce)) {
      rows += rowsAtOnce
      if (rows >= maxRows && connection.all(allRuns).length <= runTables.length - spareRuns) return
      yield
    }
    yield
  }
}

interface MergeOptions {
  /** The number of runs that are merged into one. */
  readonly fanIn?: number
  readonly maxRows?: number
  readonly rowsAtOnce?: number
}

/** Keeps only the first run, after all entries were written to it again. */
export const forgetOtherRuns = (connection: Connection): void => {
  const entries = connection.all(allRuns).reduce((sum, run) => sum + run.entries, 0)
  for (const table of runTables.slice(1)) connection.exec(`DELETE FROM ${table}`)
  connection.exec("DELETE FROM credential_term_runs")
  connection.insert("credential_term_runs", { run: 0, entries })
}

/** Entries of four large groups. A higher maximum writes more again for each group; a lower one means more runs. */
const defaultMaxEntries = 6_000_000

/** Number of runs that are merged into one. A higher number means fewer writes, but more runs for a search to read. */
const defaultFanIn = 8

/** Twice the entries of a large group of records, because each entry is copied once for each size of runs. */
const defaultMaxRows = 3_500_000

/** Number of tables that an unfinished merge leaves for new runs. */
const spareRuns = 4

const levelOf = (entries: number, fanIn: number): number =>
  Math.max(0, Math.floor(Math.log(entries / (defaultMaxEntries / 2)) / Math.log(fanIn)))

interface Run {
  readonly run: number
  /** An upper bound for the number of entries. */
  readonly entries: number
  /** The runs that are being merged into this one; null when it is complete. */
  readonly sources: ReadonlyArray<number> | null
}

const allRuns = select(
  Schema.Struct({
    run: Schema.Int,
    entries: Schema.Int,
    sources: Schema.NullOr(jsonColumn(Schema.Array(Schema.Int)))
  }),
  "FROM credential_term_runs ORDER BY run"
)

const tableOf = (run: number): string => {
  const table = runTables[run]
  if (table === undefined) throw new RecordForeign("credential_term_runs", String(run))
  return table
}

const completeRuns = (connection: Connection, sql: string, ...parameters: ReadonlyArray<bigint>) => {
  const runs = connection.tuples(sql, ...parameters)
  if (runs.length === 0) throw new RowsMissing("credential_term_runs")
  return runs.map(([run, hasTerm]) => ({ table: tableOf(Number(run)), hasTerm }))
}

const runsWithTerm = `SELECT run, CASE run ${runTables
  .map((table, run) => `WHEN ${run} THEN EXISTS (SELECT 1 FROM ${table} WHERE term = wanted)`)
  .join(" ")} END
  FROM (SELECT ? AS wanted) CROSS JOIN credential_term_runs WHERE sources IS NULL ORDER BY run`

const isEmpty = (connection: Connection, table: string): boolean => !connection.has(`FROM ${table}`)

const freeRun = (connection: Connection, runs: ReadonlyArray<Run>): number | undefined => {
  const used = new Set(runs.map(({ run }) => run))
  const free = runTables.findIndex((table, run) => !used.has(run) && isEmpty(connection, table))
  return free === -1 ? undefined : free
}

const beginMerge = (connection: Connection, fanIn: number): Run | undefined => {
  const runs = connection.all(allRuns)
  const free = freeRun(connection, runs)
  const levels = Map.groupBy(runs, ({ entries }) => levelOf(entries, fanIn))
  const sources = [...levels.values()].find(({ length }) => length >= fanIn)?.slice(0, fanIn)
  if (free === undefined || sources === undefined) return undefined
  const merge = {
    run: free,
    entries: sources.reduce((sum, { entries }) => sum + entries, 0),
    sources: sources.map(({ run }) => run)
  }
  connection.insert("credential_term_runs", { ...merge, sources: JSON.stringify(merge.sources) })
  return merge
}

/** Copies the next entries in their order. Returns true after the last one, when the result replaces the sources. */
const copyNext = (connection: Connection, { run, sources }: Run, rows: number): boolean => {
  // A key rotation may have replaced all runs.
  if (sources === null || !connection.all(allRuns).some((found) => found.run === run && found.sources !== null))
    return true
  const target = tableOf(run)
  const last = connection
    .prepareWrite(
      `SELECT term, imported_at, version FROM ${target} ORDER BY term DESC, imported_at DESC, version DESC LIMIT 1`
    )
    .get()
  const { imported_at: importedAt = 0, term = 0, version = 0 } = last ?? {}
  // A comparison of row values would visit every entry of the term again, because SQLite seeks by the first column
  // only.
  const ranges =
    last === undefined
      ? [{ condition: "TRUE", values: [] }]
      : [
          { condition: "term = ? AND imported_at = ? AND version > ?", values: [term, importedAt, version] },
          { condition: "term = ? AND imported_at > ?", values: [term, importedAt] },
          { condition: "term > ?", values: [term] }
        ]
  let missing = rows
  for (const { condition, values } of ranges) {
    const sorted = sources
      .map((source) => `SELECT term, imported_at, version FROM ${tableOf(source)} WHERE ${condition}`)
      .join(" UNION ALL ")
    const statement = `INSERT INTO ${target} (term, imported_at, version) ${sorted} ORDER BY 1, 2, 3 LIMIT ? + 0`
    missing -= connection.run(statement, ...sources.flatMap(() => values), missing).changes
    if (missing === 0) return false
  }
  connection.run("UPDATE credential_term_runs SET sources = NULL WHERE run = ?", run)
  for (const source of sources) connection.run("DELETE FROM credential_term_runs WHERE run = ?", source)
  return true
}

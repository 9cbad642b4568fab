import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { Order } from "@threat-exposure/core/domain/Page"
import type { Connection, Tuple } from "../database/Connection.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { isPublished } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import { storeLayer } from "../database/StoreMethods.ts"
import { columnsWith, integer, writerOf } from "./CredentialRows.ts"
import { actOnCredentials, pageOfTenant } from "./TenantCredentials.ts"
import { tablesToSearch, tablesOfTerm } from "./TermRuns.ts"
import {
  type CredentialListing,
  type CredentialPage,
  type CredentialSortKey,
  CredentialStore
} from "../../credentials/CredentialStore.ts"
import { monotonicNow } from "../../MonotonicTime.ts"
import { RecordForeign } from "../../requests/ForeignRecords.ts"
import { requireNoneMissing } from "../../requests/NotFound.ts"
import { buffersOf } from "../../threads/Transfer.ts"

export const CredentialStoreSqlite = storeLayer(CredentialStore)(({ read, search, write }, { lookUp }) => {
  const pageOfTerm = read(
    "pageOfTerm",
    (database, listing: CredentialListing) =>
      inBytes(pageOf(database, listing, rowsOfTerm(database.connection, listing))),
    ({ items }) => buffersOf(items)
  )
  const pageOfTerms = search("pageOfTerms", findPageOfTerms, (slice) =>
    slice.isDone ? buffersOf(slice.output.items) : []
  )
  const count = read("countOfTerm", countOfTerm)
  return {
    page: (listing) => {
      if (listing.terms.length > 1) return pageOfTerms(listing)
      return listing.size <= quickSize
        ? lookUp((open) => pageOf(open, listing, rowsOfTerm(open.connection, listing)))
        : pageOfTerm(listing)
    },
    segments: (listing) =>
      listing.terms.length > 1 || listing.size <= segmentSize
        ? undefined
        : { size: segmentSize, count: count(listing) },
    pageOfTenant: search("pageOfTenant", pageOfTenant),
    act: flow(write("act", actOnCredentials), Effect.flatMap(requireNoneMissing))
  }
})

/** Credentials per segment: reading them takes some milliseconds, so that other requests get their turn. */
const segmentSize = 1_000

/** Reading as many on the caller's thread takes well under a millisecond, at any position of the listing. */
const quickSize = 100

function countOfTerm({ connection }: OpenDatabase, listing: CredentialListing): number {
  const tables = tablesToSearch(connection)
  return rangesOf(listing, listing.after).reduce((count, { range, values }) => {
    const rows = tables.map((table) => `SELECT 1 ${selectionOf(table, range, listing.order)}`).join(" UNION ALL ")
    const parameters = forEachTable(tables, [listing.terms[0], ...values])
    const counted = connection.tuples(
      `SELECT count(*) FROM (${rows} LIMIT ? + 0)`,
      ...parameters,
      listing.size + 1 - count
    )
    return count + integer(counted[0]?.[0])
  }, 0)
}

function findPageOfTerms(
  database: OpenDatabase,
  slice: SliceInput<CredentialListing, IntersectionProgress>
): Slice<IntersectionProgress, CredentialPage> {
  const found = intersect(database.connection, slice)
  if (!found.isDone) return found
  const rows = found.output
    .map((id) => rowById(database.connection, slice.input, id))
    .filter((row) => row !== undefined)
  return { isDone: true, output: inBytes(pageOf(database, slice.input, rows)) }
}

/** Bytes are transferred to another thread; a string of megabytes would be copied. */
const inBytes = ({ items, ...rest }: CredentialPage): CredentialPage => ({ ...rest, items: Buffer.from(items) })

/** Builds the page. An additional row shows that there is a next page. */
const pageOf = (database: OpenDatabase, listing: CredentialListing, rows: ReadonlyArray<Tuple>): CredentialPage => {
  requireKey(database, listing.keyId)
  const { connection, vault } = database
  const hasNext = rows.length > listing.size
  const page = hasNext ? rows.slice(0, listing.size) : rows
  const write = writerOf(connection, vault, listing.include)
  let items = ""
  for (const row of page) for (const item of write(row)) items += items === "" ? item : `,${item}`
  const last = hasNext ? page.at(-1) : undefined
  return { items, count: page.length, last: last === undefined ? undefined : sortKeyOf(last) }
}

const sortKeyOf = ([id, importedAt]: Tuple): CredentialSortKey => {
  if (typeof id === "number" && typeof importedAt === "number") return { id, importedAt }
  throw new RecordForeign("credentials", String(id))
}

const forEachTable = <Value>(tables: ReadonlyArray<string>, values: ReadonlyArray<Value>): ReadonlyArray<Value> =>
  tables.flatMap(() => values)

const rowsOfTerm = (connection: Connection, listing: CredentialListing): ReadonlyArray<Tuple> => {
  const { include, order, size, terms } = listing
  const tables = tablesOfTerm(connection, terms[0])
  if (tables.length === 0) return []
  let rows: ReadonlyArray<Tuple> = []
  for (const { range, values } of rangesOf(listing, listing.after)) {
    const missing = size + 1 - rows.length
    if (missing === 0) break
    const parameters = forEachTable(tables, [terms[0], ...values])
    const more = connection.tuples(sqlOfTerm(tables, range, order, include), ...parameters, missing)
    rows = rows.length === 0 ? more : rows.concat(more)
  }
  return rows
}

/** Cached by the variable parts, because building the statement takes as long as running it. */
const sqlsOfTerm = new Map<string, string>()

const sqlOfTerm = (
  tables: ReadonlyArray<string>,
  range: Range["range"],
  order: Order,
  include: ReadonlyArray<CredentialInclude>
): string => {
  const key = `${range} ${order} ${include.join()} ${tables.join()}`
  let sql = sqlsOfTerm.get(key)
  if (sql === undefined) {
    // CROSS JOIN keeps the index in the outer loop, so that the planner does not sort sorted rows again. `+ 0`: the
    // planner looks at the value of a bare `LIMIT ?`, so each execution would prepare the statement again.
    const rows = tables.map(
      (table) => `SELECT ${columnsWith(include)}, t.imported_at AS run_imported_at, t.version AS run_version
        ${selectionOf(table, range, order)}`
    )
    // SQLite merges the rows of the runs, which have the same order. A version may be too large for a number, so it is
    // not selected.
    sql = `SELECT id, imported_at, document, hash, source, known_password_id, auth_domains, urls
      FROM (${rows.join(" UNION ALL ")} ORDER BY run_imported_at ${order}, run_version ${order} LIMIT ? + 0)`
    if (sqlsOfTerm.size >= maxStatements) sqlsOfTerm.clear()
    sqlsOfTerm.set(key, sql)
  }
  return sql
}

/** Each load adds runs, and each set of runs has its own statements. */
const maxStatements = 500

const selectionOf = (table: string, range: Range["range"], order: Order): string =>
  `FROM ${table} t CROSS JOIN credentials c ON c.version = t.version
   WHERE t.term = ? AND ${conditionOf(range, order)} AND ${isPublished("c", "credentials")}`

const rowById = (connection: Connection, { include }: CredentialListing, id: number): Tuple | undefined =>
  connection.tuples(
    `SELECT ${columnsWith(include)} FROM credentials c
     WHERE c.version IN (CAST(? AS INTEGER) * 2, CAST(? AS INTEGER) * 2 + 1) AND ${isPublished("c", "credentials")}`,
    id,
    id
  )[0]

export interface IntersectionProgress {
  readonly terms: CredentialListing["terms"]
  readonly found: ReadonlyArray<number>
  readonly after: CredentialSortKey
}

/** Ids of credentials that have all terms, one more than the page. Checks the clock after every `rowsPerLook` rows. */
export const intersect = (
  connection: Connection,
  { input: listing, progress, time }: SliceInput<CredentialListing, IntersectionProgress>,
  rowsPerLook = 500
): Slice<IntersectionProgress, ReadonlyArray<number>> => {
  const end = monotonicNow() + time
  const terms = progress?.terms ?? sortByRarity(connection, listing.terms)
  const [rarest, ...others] = terms
  const found = [...(progress?.found ?? [])]
  const isVisible = `EXISTS (SELECT 1 FROM credentials c WHERE c.version = t.version AND ${isPublished("c", "credentials")})`
  const tables = tablesToSearch(connection)
  let looked = 0
  for (const { range, values } of rangesOf(listing, progress?.after ?? listing.after)) {
    const rows = tables.map((table) => {
      const hasOther = `EXISTS (SELECT 1 FROM ${table} o WHERE o.term = ? AND o.imported_at = t.imported_at AND o.version = t.version)`
      return `SELECT t.version >> 1 AS id, t.imported_at AS imported_at, t.version AS version,
        ${[...others.map(() => hasOther), isVisible].join(" AND ")} AS has_others
        FROM ${table} t WHERE t.term = ? AND ${conditionOf(range, listing.order)}`
    })
    const statement = connection.prepare(
      `SELECT id, imported_at, has_others
       FROM (${rows.join(" UNION ALL ")} ORDER BY imported_at ${listing.order}, version ${listing.order} LIMIT -1)`
    )
    const parameters = forEachTable(tables, [...others, rarest, ...values])
    let after: CredentialSortKey | undefined
    for (const { has_others, id, imported_at } of statement.iterate(...parameters)) {
      // Does not stop between the two versions of a credential, because the second may be the published one.
      if (looked >= rowsPerLook && after !== undefined && after.id !== id) {
        if (monotonicNow() >= end) return { isDone: false, progress: { terms, found, after } }
        looked = 0
      }
      if (has_others === 1 && found.push(integer(id)) > listing.size) return { isDone: true, output: found }
      looked += 1
      after = { importedAt: integer(imported_at), id: integer(id) }
    }
  }
  return { isDone: true, output: found }
}

/** Sorts the terms by the number of their credentials, as far as these can be counted in a few milliseconds. */
const sortByRarity = (connection: Connection, terms: CredentialListing["terms"]): CredentialListing["terms"] => {
  let [rarest] = terms
  const tables = tablesToSearch(connection)
  const rows = tables.map((table) => `SELECT 1 FROM ${table} WHERE term = ?`).join(" UNION ALL ")
  const countOfRows = `SELECT count(*) AS count FROM (${rows} LIMIT ? + 0)`
  for (let limit = 1_000; limit <= maxCounted; limit *= 8) {
    let least = limit
    for (const term of terms) {
      const { count } = connection.prepare(countOfRows).get(...tables.map(() => term), least) ?? {}
      if (integer(count) < least) [rarest, least] = [term, integer(count)]
    }
    if (least < limit) break
  }
  return [rarest, ...terms.filter((term) => term !== rarest)]
}

const maxCounted = 512_000

interface Range {
  readonly range: "between" | "ties"
  readonly values: readonly [number, number]
}

const conditionOf = (range: Range["range"], order: Order): string =>
  range === "between"
    ? "t.imported_at BETWEEN ? AND ?"
    : `t.imported_at = ? AND t.version ${order === "desc" ? "< CAST(? AS INTEGER) * 2" : "> CAST(? AS INTEGER) * 2 + 1"}`

/** After a sort key, equal times come first: SQLite treats a comparison of row values as one of the first column. */
const rangesOf = (
  { order, since, until }: CredentialListing,
  after: CredentialSortKey | undefined
): ReadonlyArray<Range> => {
  if (after === undefined) return [{ range: "between", values: [since, until] }]
  const { id, importedAt } = after
  return [
    { range: "ties", values: [importedAt, id] },
    { range: "between", values: order === "desc" ? [since, importedAt - 1] : [importedAt + 1, until] }
  ]
}

/**
 * Each term of an identifier is a range of the index, in the order of listings. A page merges these ranges, reading a
 * few rows of each at a time.
 */
import * as Schema from "effect/Schema"
import { type CredentialSelector, selectorsOf, usernamesIn } from "../../credentials/CredentialSelector.ts"
import {
  type CredentialPage,
  type CredentialStateChange,
  itemWithState,
  type TenantCredentialListing
} from "../../credentials/CredentialStore.ts"
import { credentialHashTerm } from "../../credentials/CredentialTerm.ts"
import { changeState, open, type TriageState } from "../../matching/TriageState.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { criteriaOf, currentRevision, IdentifierRow, rulesOf } from "../IdentifierPercolator.ts"
import { type Connection, select, type Tuple } from "../database/Connection.ts"
import { cachePerConnection } from "../database/ConnectionCache.ts"
import { isPublished } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import { rowOfVersion, writerOf } from "./CredentialRows.ts"
import { tablesToSearch } from "./TermRuns.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export interface TenantProgress {
  readonly rows: ReadonlyArray<Tuple>
  readonly after: Position | undefined
}

/** A version of a credential in the index. `half` is the lowest bit of the version: see `FirstSchema.ts`. */
interface Position {
  readonly importedAt: number
  readonly id: number
  readonly half: number
}

export const pageOfTenant = (
  database: OpenDatabase,
  { input: listing, progress, time }: SliceInput<TenantCredentialListing, TenantProgress>
): Slice<TenantProgress, CredentialPage> => {
  requireKey(database, listing.keyId)
  const { connection, vault } = database
  const { order, size, tenantId } = listing
  const startedAt = monotonicNow()
  const selectors = selectorsOfTenant(database, tenantId)
  const tables = tablesToSearch(connection)
  const rows = [...(progress?.rows ?? [])]
  const { compare } = positionsInOrder[order]
  const ranges = rangesOf(connection, tables, selectors, listing, progress?.after ?? positionAfter(listing))
  // The next slice has to read the beginning of all ranges again, so a slice takes at least twice as long as that.
  const sliceEnd = Math.max(startedAt + time, 2 * monotonicNow() - startedAt)
  let shown: Position | undefined
  let last: Position | undefined
  for (const candidate of merge(ranges, compare)) {
    if (shown !== undefined && compare(shown, candidate) === 0) continue
    if (last !== undefined && compare(last, candidate) !== 0 && monotonicNow() >= sliceEnd) {
      return { isDone: false, progress: { rows, after: last } }
    }
    last = candidate
    const row = rowOfVersion(connection, candidate)
    if (row === undefined) continue
    const [isOwn = false] = connection.readOwn(
      () => isSelected(connection, tables, candidate, row),
      () => ["credentials", String(candidate.id)]
    )
    if (!isOwn) continue
    shown = candidate
    if (rows.push(row) > size) break
  }
  const write = writerOf(connection, vault, [])
  const hasStates = connection.has("FROM credential_states WHERE tenant_id = ?", tenantId)
  const stateOf = hasStates ? (hash: string) => connection.first(stateOfCredential, tenantId, hash) : undefined
  const page = rows.slice(0, size)
  const lastShown = rows.length > size ? page.at(-1) : undefined
  return {
    isDone: true,
    output: {
      items: page.flatMap((row) => write(row).map((json) => itemWithState(json, stateOf))).join(),
      count: page.length,
      last: lastShown === undefined ? undefined : { id: Number(lastShown[0]), importedAt: Number(lastShown[1]) }
    }
  }
}

/** Returns the hashes that no credential has; if there are any, changes nothing. */
export const actOnCredentials = (
  { connection, vault }: OpenDatabase,
  { action, hashes, now, tenantId }: CredentialStateChange
): ReadonlyArray<string> => {
  const tables = tablesToSearch(connection)
  const missing = hashes.filter(
    (hash) => !tables.some((table) => connection.has(credentialOfTerm(table), credentialHashTerm(vault, hash)))
  )
  if (missing.length > 0) return missing
  for (const hash of hashes) {
    const state = changeState(connection.first(stateOfCredential, tenantId, hash) ?? open, action, now)
    connection.replace("credential_states", { ...state, tenant_id: tenantId, credential_hash: hash })
  }
  return []
}

const positionAfter = ({ after, order }: TenantCredentialListing): Position | undefined =>
  after === undefined ? undefined : { ...after, half: order === "asc" ? 1 : 0 }

/** The rows of one term, which is the first of all these selectors. */
interface Range {
  readonly selectors: ReadonlyArray<CredentialSelector>
  readonly positions: Generator<Position, undefined>
}

const rangesOf = (
  connection: Connection,
  tables: ReadonlyArray<string>,
  selectors: ReadonlyArray<CredentialSelector>,
  { order, size }: TenantCredentialListing,
  after: Position | undefined
): ReadonlyArray<Range> => {
  const { compare, first, sqlOf } = positionsInOrder[order]
  const sql = tables.map(sqlOf).join(" UNION ALL ")
  const read = (term: bigint, { half, id, importedAt }: Position, limit: number) => {
    const parameters = [term, importedAt, id, half, limit, term, importedAt, limit]
    const positions = connection
      .tuples(sql, ...tables.flatMap(() => parameters))
      .map((row): Position => ({ importedAt: Number(row[0]), id: Number(row[1]), half: Number(row[2]) }))
    // The rows of a single run are already sorted.
    return (tables.length === 1 ? positions : positions.toSorted(compare)).slice(0, limit)
  }
  // On average, the page takes one row of each range.
  const atFirst = Math.min(maxRows, Math.max(minRows, Math.ceil((2 * size) / Math.max(1, selectors.length))))
  const positionsOf = function* (term: bigint): Range["positions"] {
    let last: Position | undefined = after ?? first
    for (let limit = atFirst; last !== undefined; limit = Math.min(limit * 2, maxRows)) {
      const positions = read(term, last, limit)
      yield* positions
      last = positions[limit - 1]
    }
  }
  const ofTerms = Map.groupBy(selectors, ({ terms: [term] }) => term)
  return Array.from(ofTerms, ([term, selectors]) => ({ selectors, positions: positionsOf(term) }))
}

const minRows = 3
const maxRows = 1_024

/** All positions in their order, each with its selectors. A position occurs once per range that has it. */
function* merge(
  ranges: ReadonlyArray<Range>,
  compare: (a: Position, b: Position) => number
): Generator<Position & Pick<Range, "selectors">> {
  const heads = ranges.map(({ positions, selectors }) => ({ positions, selectors, head: positions.next().value }))
  for (;;) {
    let first: Position | undefined
    let range: (typeof heads)[number] | undefined
    for (const each of heads) {
      if (each.head !== undefined && (first === undefined || compare(each.head, first) < 0)) {
        first = each.head
        range = each
      }
    }
    if (first === undefined || range === undefined) return
    range.head = range.positions.next().value
    yield { ...first, selectors: range.selectors }
  }
}

const ascending = (a: Position, b: Position) => a.importedAt - b.importedAt || a.id - b.id || a.half - b.half

/** Equal import times first: a comparison of row values would visit all rows with that time. */
const positionsSql = (comparison: "<" | ">", order: "asc" | "desc") => (table: string) => {
  const rows = (condition: string) =>
    `SELECT * FROM (SELECT t.imported_at, t.version >> 1, t.version & 1 FROM ${table} t
     WHERE t.term = ? AND ${condition} ORDER BY t.imported_at ${order}, t.version ${order} LIMIT ? + 0)`
  return `${rows(
    `t.imported_at = ? AND t.version ${comparison} CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER)`
  )} UNION ALL ${rows(`t.imported_at ${comparison} ?`)}`
}

const positionsInOrder = {
  asc: {
    first: { importedAt: Number.MIN_SAFE_INTEGER, id: 0, half: 0 },
    compare: ascending,
    sqlOf: positionsSql(">", "asc")
  },
  desc: {
    first: { importedAt: Number.MAX_SAFE_INTEGER, id: 0, half: 0 },
    compare: (a: Position, b: Position) => ascending(b, a),
    sqlOf: positionsSql("<", "desc")
  }
}

const isSelected = (
  connection: Connection,
  tables: ReadonlyArray<string>,
  { half, id, importedAt, selectors }: Position & Pick<Range, "selectors">,
  [, , document]: Tuple
): boolean => {
  const hasNames = selectors.some(({ username }) => username !== undefined)
  const names = hasNames ? usernamesIn(decodeName(`{${String(document)}}`).identity_name) : []
  return selectors.some(
    ({ terms, username }) =>
      (username === undefined || names.includes(username)) &&
      terms
        .slice(1)
        .every((term) => tables.some((table) => connection.has(versionWithTerm(table), term, importedAt, id, half)))
  )
}

const versionWithTerm = (table: string) => `FROM ${table}
  WHERE term = ? AND imported_at = ? AND version = CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER)`

const decodeName = jsonDecoder(Schema.Struct({ identity_name: Schema.String }))

const credentialOfTerm = (table: string) => `FROM ${table} t CROSS JOIN credentials c ON c.version = t.version
  WHERE t.term = ? AND ${isPublished("c", "credentials")}`

const stateOfCredential = select<TriageState>(
  Schema.Struct({ ignored_at: Schema.NullOr(Schema.String), remediated_at: Schema.NullOr(Schema.String) }),
  "FROM credential_states WHERE tenant_id = ? AND credential_hash = ?"
)

/** The selectors of the tenant's enabled identifiers, cached until an identifier of any tenant changes. */
const selectorsOfTenant = (database: OpenDatabase, tenantId: number): ReadonlyArray<CredentialSelector> => {
  const { connection, vault } = database
  const revision = connection.first(currentRevision) ?? 0
  const known = knownSelectors(database)
  if (known.revision !== revision || known.byTenant.size === maxTenants) {
    known.revision = revision
    known.byTenant.clear()
  }
  const found =
    known.byTenant.get(tenantId) ??
    distinct(
      connection
        .own(enabledIdentifiers, [tenantId], (row) =>
          selectorsOf(vault, criteriaOf(vault, row), rulesOf(connection, row.id))
        )
        .flat()
    )
  known.byTenant.set(tenantId, found)
  return found
}

const distinct = (selectors: ReadonlyArray<CredentialSelector>): ReadonlyArray<CredentialSelector> => [
  ...new Map(selectors.map((selector) => [`${selector.terms.join()} ${selector.username ?? ""}`, selector])).values()
]

const maxTenants = 100

const knownSelectors = cachePerConnection(() => ({
  revision: -1,
  byTenant: new Map<number, ReadonlyArray<CredentialSelector>>()
}))

const enabledIdentifiers = select(IdentifierRow, "FROM identifiers WHERE tenant_id = ? AND is_disabled = 0")

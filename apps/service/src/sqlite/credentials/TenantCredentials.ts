/**
 * The credentials that a tenant's identifiers match, and the tenant's states of them.
 *
 * Each term of an identifier is a range of the index in the order of listings. A page merges these ranges: it reads some rows of
 * each, and knows the order of all that are not after the end of a range which may go on.
 */
import * as Schema from "effect/Schema"
import { type CredentialSelector, isNamed, selectorsOf } from "../../credentials/CredentialSelector.ts"
import {
  type CredentialPage,
  type CredentialStateChange,
  itemWithState,
  type TenantCredentialListing
} from "../../credentials/CredentialStore.ts"
import { credentialHashTerm } from "../../credentials/CredentialTerm.ts"
import type { Vault } from "../../crypto/Vault.ts"
import { changeState, open, type TriageState } from "../../matching/TriageState.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { criteriaOf, currentRevision, rulesOf } from "../IdentifierPercolator.ts"
import { type Connection, select, type Tuple } from "../database/Connection.ts"
import { isPublished } from "../database/Generations.ts"
import { type OpenDatabase, procedure } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import { rowOfVersion, writerOf } from "./CredentialRows.ts"
import { tablesToSearch } from "./TermRuns.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export interface TenantProgress {
  readonly rows: ReadonlyArray<Tuple>
  readonly after: Position | undefined
}

/** A version of a credential in the index. `half` is the last bit of the version: see `FirstSchema.ts`. */
interface Position {
  readonly importedAt: number
  readonly id: number
  readonly half: number
}

/** In slices: see {@link searchInSlices}. */
export const pageOfTenant = procedure(
  "CredentialStore.pageOfTenant",
  (
    database,
    { input: listing, progress, time }: SliceInput<TenantCredentialListing, TenantProgress>
  ): Slice<TenantProgress, CredentialPage> => {
    requireKey(database, listing.keyId)
    const { connection, vault } = database
    const { order, size, tenantId } = listing
    const sliceEnd = monotonicNow() + time
    const selectors = selectorsOfTenant(database, tenantId)
    const tables = tablesToSearch(connection)
    const rows = [...(progress?.rows ?? [])]
    const compare = positionsInOrder[order].compare
    let after = progress?.after ?? positionAfter(listing)
    let atOnce = Math.max(minRows, Math.ceil((2 * size) / Math.max(1, selectors.length)))
    while (rows.length <= size) {
      const found = selectors.map((selector) => ({
        selector,
        positions: positionsOf(connection, tables, selector, listing, after, atOnce)
      }))
      const ends = found.flatMap(({ positions }) => (positions.length < atOnce ? [] : (positions.at(-1) ?? [])))
      const end = ends.toSorted(compare)[0]
      const candidates = found
        .flatMap(({ positions, selector }) => positions.map((position) => ({ ...position, selector })))
        .filter((position) => end === undefined || compare(position, end) <= 0)
        .toSorted(compare)
      let last: Position | undefined
      for (const candidate of candidates) {
        if (last !== undefined && compare(last, candidate) === 0) continue
        const row = rowOfVersion(connection, candidate)
        if (row === undefined) continue
        const [isOwn = false] = connection.readOwn(
          () => isSelected(connection, tables, candidate, row),
          () => ["credentials", String(candidate.id)]
        )
        if (!isOwn) continue
        last = candidate
        if (rows.push(row) > size) break
      }
      if (end === undefined) break
      after = end
      atOnce = Math.min(atOnce * 2, maxRows)
      if (rows.length <= size && monotonicNow() >= sliceEnd) return { isDone: false, progress: { rows, after } }
    }
    const write = writerOf(connection, vault, [])
    const stateOf = (hash: string) => connection.first(stateOfCredential, tenantId, hash)
    const shown = rows.slice(0, size)
    const lastShown = rows.length > size ? shown.at(-1) : undefined
    return {
      isDone: true,
      output: {
        items: shown.flatMap((row) => write(row).map((json) => itemWithState(json, stateOf))).join(),
        count: shown.length,
        last: lastShown === undefined ? undefined : { id: Number(lastShown[0]), importedAt: Number(lastShown[1]) }
      }
    }
  }
)

/** Returns the hashes that no credential has: nothing is changed then. */
export const actOnCredentials = procedure(
  "CredentialStore.act",
  ({ connection, vault }, { action, hashes, now, tenantId }: CredentialStateChange): ReadonlyArray<string> => {
    const tables = tablesToSearch(connection)
    const missing = hashes.filter(
      (hash) =>
        !tables.some((table) => connection.tuples(credentialOfTerm(table), credentialHashTerm(vault, hash)).length > 0)
    )
    if (missing.length > 0) return missing
    for (const hash of hashes) {
      const { ignored_at, remediated_at } = changeState(
        connection.first(stateOfCredential, tenantId, hash) ?? open,
        action,
        now
      )
      connection.replace("credential_states", { tenant_id: tenantId, credential_hash: hash, ignored_at, remediated_at })
    }
    return []
  }
)

/** Rows that are read of each range at first, and at most. */
const minRows = 8
const maxRows = 1_024

const positionAfter = ({ after, order }: TenantCredentialListing): Position | undefined =>
  after === undefined ? undefined : { ...after, half: order === "asc" ? 1 : 0 }

/** The next positions of the selector's first term: those of all runs of the index, merged. */
const positionsOf = (
  connection: Connection,
  tables: ReadonlyArray<string>,
  { terms: [term] }: CredentialSelector,
  { order }: TenantCredentialListing,
  after: Position | undefined,
  limit: number
): ReadonlyArray<Position> => {
  const { compare, first, others, ties } = positionsInOrder[order]
  const read = (sqlOf: (table: string) => string, ...values: ReadonlyArray<number>) =>
    tables
      .flatMap((table) => connection.tuples(sqlOf(table), term, ...values))
      .map(([importedAt, id, half]) => ({ importedAt: Number(importedAt), id: Number(id), half: Number(half) }))
      .toSorted(compare)
      .slice(0, values.at(-1))
  if (after === undefined) return read(others, first, limit)
  const tied = read(ties, after.importedAt, after.id, after.half, limit)
  return tied.length === limit ? tied : [...tied, ...read(others, after.importedAt, limit - tied.length)]
}

const positionsSql = (condition: string, order: "asc" | "desc") => (table: string) =>
  `SELECT t.imported_at, t.version >> 1, t.version & 1 FROM ${table} t
   WHERE t.term = ? AND ${condition} ORDER BY t.imported_at ${order}, t.version ${order} LIMIT ? + 0`

const ascending = (a: Position, b: Position) => a.importedAt - b.importedAt || a.id - b.id || a.half - b.half

const positionsInOrder = {
  asc: {
    first: Number.MIN_SAFE_INTEGER,
    compare: ascending,
    ties: positionsSql("t.imported_at = ? AND t.version > CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER)", "asc"),
    others: positionsSql("t.imported_at > ?", "asc")
  },
  desc: {
    first: Number.MAX_SAFE_INTEGER,
    compare: (a: Position, b: Position) => ascending(b, a),
    ties: positionsSql("t.imported_at = ? AND t.version < CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER)", "desc"),
    others: positionsSql("t.imported_at < ?", "desc")
  }
}

/** Whether a visible row that has the selector's first term matches it. */
const isSelected = (
  connection: Connection,
  tables: ReadonlyArray<string>,
  { half, id, importedAt, selector: { terms, username } }: Position & { readonly selector: CredentialSelector },
  [, , document]: Tuple
): boolean =>
  terms
    .slice(1)
    .every((term) =>
      tables.some((table) => connection.tuples(hasTerm(table), term, importedAt, id, half).length > 0)
    ) &&
  (username === undefined || isNamed(username, decodeName(`{${String(document)}}`).identity_name))

const hasTerm = (table: string) => `SELECT 1 FROM ${table}
  WHERE term = ? AND imported_at = ? AND version = CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER)`

const decodeName = jsonDecoder(Schema.Struct({ identity_name: Schema.String }))

const credentialOfTerm = (table: string) => `SELECT 1 FROM ${table} t CROSS JOIN credentials c ON c.version = t.version
  WHERE t.term = ? AND ${isPublished("c", "credentials")} LIMIT 1`

const stateOfCredential = select<TriageState>(
  Schema.Struct({ ignored_at: Schema.NullOr(Schema.String), remediated_at: Schema.NullOr(Schema.String) }),
  "FROM credential_states WHERE tenant_id = ? AND credential_hash = ?"
)

/** The selectors of all enabled identifiers of the tenant: kept until an identifier of any tenant changes. */
const selectorsOfTenant = (
  { connection, vault }: OpenDatabase,
  tenantId: number
): ReadonlyArray<CredentialSelector> => {
  const revision = connection.first(currentRevision)?.revision ?? 0
  let known = knownSelectors.get(connection)
  if (known?.revision !== revision || known.vault !== vault || known.byTenant.size === maxTenants) {
    known = { revision, vault, byTenant: new Map() }
    knownSelectors.set(connection, known)
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

const knownSelectors = new WeakMap<
  Connection,
  {
    readonly revision: number
    readonly vault: Vault
    readonly byTenant: Map<number, ReadonlyArray<CredentialSelector>>
  }
>()

const enabledIdentifiers = select(
  Schema.Struct({ id: Schema.Int, asset: Schema.Uint8Array }),
  "FROM identifiers WHERE tenant_id = ? AND is_disabled = 0"
)

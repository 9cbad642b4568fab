/** Names are encrypted, so a connection keeps them decrypted for listings that need all of them. */
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import { Asset, dataKey, type StoredIdentifier } from "../identifiers/Asset.ts"
import { type IdentifierListing, positionOf } from "../identifiers/Identifiers.ts"
import type { Vault } from "../crypto/Vault.ts"
import { assetText, currentRevision, type IdentifierRow } from "./IdentifierPercolator.ts"
import { column, type Connection, query } from "./database/Connection.ts"
import { cachePerConnection } from "./database/ConnectionCache.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import { jsonDecoder } from "../requests/JsonText.ts"
import { comparePositions, type Position } from "../requests/Positions.ts"

export const pageOfIdentifiers = (
  database: OpenDatabase,
  listing: IdentifierListing
): ReadonlyArray<StoredIdentifier> => {
  const { after, filters, orderBy, size, tenantId } = listing
  const { connection } = database
  const { groupId, isDisabled, types } = filters
  const select = <A>(afterId: number, limit: number, open: (id: number) => A) =>
    connection.own(
      identifiersAfter,
      [tenantId, afterId, groupId ?? null, isDisabled === undefined ? null : Number(isDisabled)],
      open,
      limit
    )
  const open = (id: number) => identifierOf(database, tenantId, id) ?? []
  if (orderBy === "id" && types === undefined) {
    return select(after?.[1] ?? Number.MIN_SAFE_INTEGER, size, open).flat()
  }
  const isFiltered = groupId !== undefined || isDisabled !== undefined
  const ids = isFiltered ? new Set(select(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, identity)) : undefined
  return sortEntries(database, tenantId, orderBy)
    .values()
    .filter(
      ({ position, type }) =>
        (after === undefined || comparePositions(position, after) > 0) &&
        (types === undefined || types.includes(type)) &&
        (ids === undefined || ids.has(position[1]))
    )
    .flatMap(({ position: [, id] }) =>
      connection
        .readOwn(
          () => open(id),
          () => ["identifiers", String(id)]
        )
        .flat()
    )
    .take(size)
    .toArray()
}

export const identifierOf = (
  { connection, vault }: OpenDatabase,
  tenantId: number,
  id: number
): StoredIdentifier | undefined => {
  const row = connection.first(identifierById, id, tenantId)
  if (row === undefined) return undefined
  return {
    id,
    tenantId,
    asset: assetIn(vault, { ...row, tenant_id: tenantId }),
    groupId: row.group_id,
    isDisabled: row.is_disabled,
    eventCount: row.is_matching ? undefined : countMatches(connection, id)
  }
}

export const assetIn = (vault: Vault, row: IdentifierRow): Asset => decodeAsset(assetText(vault, row))

const decodeAsset = jsonDecoder(Asset)

export const countMatches = (connection: Connection, id: number): number => connection.first(matchesOf, id) ?? 0

interface Entry {
  readonly position: Position<number>
  readonly type: string
}

interface KnownIdentifiers {
  readonly assets: Map<number, Pick<Asset, "data" | "name" | "type">>
  readonly sorted: Map<IdentifierListing["orderBy"], ReadonlyArray<Entry>>
  revision: number
}

const sortEntries = (
  database: OpenDatabase,
  tenantId: number,
  orderBy: IdentifierListing["orderBy"]
): ReadonlyArray<Entry> => {
  const known = currentIdentifiers(database, tenantId)
  const sorted = known.sorted.get(orderBy)
  if (sorted !== undefined) return sorted
  const entries = Array.from(known.assets, ([id, asset]) => ({
    position: positionOf(orderBy, { id, asset }),
    type: asset.type
  })).toSorted((a, b) => comparePositions(a.position, b.position))
  known.sorted.set(orderBy, entries)
  return entries
}

/** Whether the tenant has an identifier that looks for the same value. */
export const hasIdentifierLike = (database: OpenDatabase, tenantId: number, asset: Asset): boolean => {
  const key = dataKey(asset)
  return currentIdentifiers(database, tenantId)
    .assets.values()
    .some((known) => dataKey(known) === key)
}

/** The identifiers of the tenant. Reads only the changes since the last call. */
const currentIdentifiers = (database: OpenDatabase, tenantId: number): KnownIdentifiers => {
  const { connection, vault } = database
  const tenants = knownTenants(database)
  const known = tenants.get(tenantId) ?? { assets: new Map(), sorted: new Map(), revision: -1 }
  // Moves the tenant to the end, because the least recently used one is evicted first.
  tenants.delete(tenantId)
  tenants.set(tenantId, known)
  const [oldest] = tenants.keys()
  if (tenants.size > maxTenants && oldest !== undefined) tenants.delete(oldest)
  const revision = connection.first(currentRevision) ?? known.revision
  if (revision === known.revision) return known
  const { assets, sorted } = known
  connection.own(changedIdentifiers, [tenantId, known.revision], ({ asset, id }) => {
    sorted.clear()
    assets.delete(id)
    if (asset === null) return
    const { data, name, type } = assetIn(vault, { id, tenant_id: tenantId, asset })
    assets.set(id, { data, name, type })
  })
  known.revision = revision
  return known
}

const knownTenants = cachePerConnection(() => new Map<number, KnownIdentifiers>())

const maxTenants = 20

const changedIdentifiers = query(
  Schema.Struct({ id: Schema.Int, asset: Schema.NullOr(Schema.Uint8Array) }),
  `SELECT c.identifier_id AS id, i.asset
   FROM identifier_changes c LEFT JOIN identifiers i ON i.id = c.identifier_id AND i.tenant_id = ? WHERE c.revision > ?`
)

const identifiersAfter = column(
  Schema.Int,
  `SELECT id FROM identifiers
   WHERE tenant_id = ? AND id > ? AND group_id IS coalesce(?, group_id) AND is_disabled = coalesce(?, is_disabled)
   ORDER BY id LIMIT ? + 0`
)

const identifierById = query(
  Schema.Struct({
    id: Schema.Int,
    asset: Schema.Uint8Array,
    group_id: Schema.NullOr(Schema.Int),
    is_disabled: Schema.BooleanFromBit,
    is_matching: Schema.BooleanFromBit
  }),
  `SELECT id, asset, group_id, is_disabled,
     EXISTS (SELECT 1 FROM identifier_creations c WHERE c.identifier_id = identifiers.id) AS is_matching
   FROM identifiers WHERE id = ? AND tenant_id = ?`
)

const matchesOf = column(Schema.Int, "SELECT count FROM event_counts WHERE identifier_id = ?")

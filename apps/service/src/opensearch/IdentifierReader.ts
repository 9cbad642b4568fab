/** Lists identifiers. Their names are encrypted, so a listing by name reads all identifiers of the tenant. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { dataKey, type StoredIdentifier } from "../identifiers/Asset.ts"
import { type IdentifierListing, positionOf } from "../identifiers/Identifiers.ts"
import { findingIndex } from "./events/EventIndex.ts"
import { readGroups } from "./IdentifierGroupStoreOpenSearch.ts"
import { pageOf } from "../requests/Positions.ts"
import { assetIn, findIdentifier, type IdentifierDocument, identifierIndex } from "./IdentifierIndex.ts"
import type { Cluster, Hit, Query } from "./cluster/Cluster.ts"
import { answerDecoder } from "./cluster/ClusterJson.ts"
import type { KeyedIndices } from "./cluster/ClusterStart.ts"
import { idOfTenant, type IndexShape } from "./cluster/IndexDefinition.ts"
import { isEveryShard, notWhole, ShardsJson, wholeResults } from "./cluster/SearchAnswer.ts"

/** `pending` is the index with a document for each identifier whose events are still being matched. */
export const identifierReader = (pending: IndexShape) => {
  const storedOf = Effect.fnUntraced(function* (
    { cluster, vault }: KeyedIndices,
    documents: ReadonlyArray<IdentifierDocument>
  ) {
    const ids = documents.map(({ id }) => String(id))
    const [matching, counts, groups] = yield* Effect.all(
      [
        cluster.fields(pending, ids, ["id"], Option.some),
        eventCounts(cluster, ids),
        readGroups(cluster, [...new Set(documents.flatMap((document) => groupOf(document) ?? []))])
      ],
      { concurrency: 3 }
    )
    return documents.map((document): StoredIdentifier => {
      const { id, isDisabled = false, tenantId } = document
      // The group of an identifier may have been deleted.
      const groupId = groups.has(groupOf(document) ?? "") ? (document.groupId ?? null) : null
      const eventCount = matching.has(String(id)) ? undefined : (counts.get(id) ?? 0)
      return { id, tenantId, asset: assetIn(vault, document), groupId, isDisabled, eventCount }
    })
  })

  const page = Effect.fnUntraced(function* (indices: KeyedIndices, listing: IdentifierListing) {
    const { after, filters, orderBy, size, tenantId } = listing
    const { cluster, vault } = indices
    if (filters.groupId !== undefined) {
      const group = idOfTenant(tenantId, filters.groupId)
      if ((yield* readGroups(cluster, [group])).size === 0) return []
    }
    const search = { query: selection(tenantId, filters), sort: [{ id: "asc" }] }
    if (orderBy === "id" && filters.types === undefined) {
      const search_after = after === undefined ? undefined : [after[1]]
      const hits = yield* cluster.search(identifierIndex, { ...search, size, search_after })
      return yield* storedOf(
        indices,
        hits.map(({ document }) => document)
      )
    }
    const hits: ReadonlyArray<Hit<IdentifierDocument>> = yield* cluster.all(identifierIndex, search)
    // The fiber yields to other requests between two of them.
    const read = yield* Effect.forEach(hits, ({ document }) =>
      Effect.sync(() => {
        const asset = assetIn(vault, document)
        return { document, type: asset.type, position: positionOf(orderBy, { id: document.id, asset }) }
      })
    )
    const found = read.filter(({ type }) => filters.types === undefined || filters.types.includes(type))
    return yield* storedOf(
      indices,
      pageOf(found, { after, order: "asc", size }).map(({ document }) => document)
    )
  })

  /** Undefined if the tenant has no such identifier. */
  const find = Effect.fnUntraced(function* (indices: KeyedIndices, tenantId: number, id: number) {
    const stored = yield* findIdentifier(indices.cluster, id)
    if (stored?.tenantId !== tenantId) return undefined
    const [found] = yield* storedOf(indices, [stored])
    return found
  })

  return { page, find }
}

/** The id of the document of the identifier's group; undefined without a group. */
const groupOf = ({ groupId, tenantId }: IdentifierDocument): string | undefined =>
  groupId == null ? undefined : idOfTenant(tenantId, groupId)

/** The data keys of all identifiers of a tenant. */
export const dataKeysOf = ({ cluster, vault }: KeyedIndices, tenantId: number) =>
  Effect.map(
    cluster.all(identifierIndex, { query: { term: { tenantId } }, sort: [{ id: "asc" }] }),
    (hits) => new Set(hits.map(({ document }) => dataKey(assetIn(vault, document))))
  )

const selection = (tenantId: number, { groupId, isDisabled }: IdentifierListing["filters"]): Query => ({
  bool: {
    filter: [
      { term: { tenantId } },
      ...(groupId === undefined ? [] : [{ term: { groupId } }]),
      ...(isDisabled === true ? [{ term: { isDisabled } }] : [])
    ],
    // Identifiers that an earlier version stored have no `isDisabled`.
    must_not: isDisabled === false ? [{ term: { isDisabled: true } }] : []
  }
})

/** The number of events that each identifier matches. */
const eventCounts = Effect.fnUntraced(function* (cluster: Cluster["Service"], ids: ReadonlyArray<string>) {
  const { text } = yield* cluster.call({
    method: "POST",
    path: `/${cluster.nameOf(findingIndex)}/_search?${wholeResults}`,
    body: JSON.stringify({
      size: 0,
      query: { bool: { filter: [{ terms: { identifier: ids } }], must_not: cluster.unpublished } },
      aggs: { counts: { terms: { field: "identifier", size: Math.max(1, ids.length) } } }
    })
  })
  const { _shards, aggregations, timed_out } = decodeCounts(text)
  if (timed_out || !isEveryShard(_shards)) return yield* Effect.die(notWhole())
  return new Map(aggregations.counts.buckets.map(({ doc_count, key }) => [key, doc_count]))
})

const decodeCounts = answerDecoder(
  "a count of events",
  Schema.Struct({
    timed_out: Schema.Boolean,
    _shards: ShardsJson,
    aggregations: Schema.Struct({
      counts: Schema.Struct({
        buckets: Schema.Array(Schema.Struct({ key: Schema.Int, doc_count: Schema.Int }))
      })
    })
  })
)

import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  type EventDocument,
  eventIdOf,
  eventIndex,
  findingIdOf,
  findingIndex,
  storedVersions
} from "./events/EventIndex.ts"
import { materialize } from "./events/Materialization.ts"
import { expressionIn, identifierIndex, sealedAsset } from "./IdentifierIndex.ts"
import { type Cluster, type Hit, type Query, type SortValues } from "./cluster/Cluster.ts"
import { ClusterState, KeyedCluster, type KeyedIndices } from "./cluster/ClusterStart.ts"
import { repeatRecovery, requestOverAfter } from "./cluster/Recovery.ts"
import { expressionQuery } from "./cluster/ExpressionQuery.ts"
import { type IndexDefinition, keptOnly, smallIndex } from "./cluster/IndexDefinition.ts"
import { noStrictLoads } from "./cluster/StrictLoadState.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { transferredCreations } from "../transfer/TransferredTables.ts"
import { transferredDocuments } from "./cluster/ClusterTransfer.ts"
import { IdentifierStore } from "../identifiers/Identifiers.ts"

export const IdentifierStoreOpenSearch = Layer.effect(
  IdentifierStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const state = yield* ClusterState
    /**
     * Removes the creations, whose findings were stored as of `indices`. Leaves them if a strict load was under way since then: it
     * may have read the identifiers before, and its events were not visible until it ended.
     */
    const end = Effect.fnUntraced(function* ({ cluster }: KeyedIndices, ids: ReadonlyArray<string>) {
      yield* state.revision
      const { strictLoads: before = noStrictLoads } = cluster
      const { strictLoads: after = noStrictLoads } = keyed.now.cluster
      if (before.pending !== null || after.pending !== null || before.last !== after.last) return
      yield* cluster.write(
        ids.map((id) => ({ index: creationIndex, id, remove: true })),
        { refresh: false }
      )
    })
    yield* repeatRecovery(
      Effect.gen(function* () {
        yield* state.revision
        const { now } = keyed
        if (now.cluster.strictLoads?.pending === null) yield* end(now, yield* completeCreations(now))
      })
    )
    return IdentifierStore.of({
      insert: Effect.fnUntraced(function* ({ asset, expression, keyId, tenantId }) {
        const { now } = keyed
        const { cluster, vault } = now
        requireKey(now, keyId)
        const id = yield* cluster.nextNumber("identifiers")
        const creation = { index: creationIndex, id: String(id) }
        yield* cluster.write([{ ...creation, document: { id, created_at: asset.created_at } }], { refresh: false })
        yield* cluster.put(identifierIndex, String(id), {
          id,
          tenantId,
          asset: sealedAsset(vault, id, asset),
          policies: []
        })
        // See `eventIndexer` for this order.
        const count = yield* storeFindings(
          cluster,
          { id, tenantId },
          expressionQuery(vault, expression),
          asset.created_at
        )
        yield* materialize(cluster)
        yield* end(now, [String(id)])
        return { id, count }
      })
    })
  })
)

const CreationDocument = Schema.Struct({
  id: Schema.Int,
  /** The creation of the identifier, in ISO 8601. */
  created_at: Schema.String
})

/** Identifiers whose creation is not complete. */
export const creationIndex: IndexDefinition<typeof CreationDocument.Type> = {
  name: "identifier-creations",
  version: 1,
  settings: smallIndex,
  properties: { id: { type: "long" }, created_at: keptOnly },
  document: CreationDocument
}

export const creationsTransfer = transferredDocuments({
  table: transferredCreations,
  index: creationIndex,
  toDocument: (document) => ({ id: String(document.id), document })
})

/**
 * Completes the creations that a service began and did not end: it was killed, the cluster was unavailable, or a strict load
 * was under way. Returns their ids.
 */
const completeCreations = Effect.fnUntraced(function* ({ cluster, vault }: KeyedIndices) {
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  yield* cluster.refresh(creationIndex)
  const begun = yield* cluster.all(creationIndex, { query: { match_all: {} }, sort: [{ id: "asc" }] })
  const completed: Array<string> = []
  for (const { document, id } of begun) {
    const identifier = (yield* cluster.get(identifierIndex, id))?.document
    // Its service may be about to store it.
    if (identifier === undefined && Date.parse(document.created_at) > now - requestOverAfter) continue
    // A service may still be storing the same findings: both write them under the same ids.
    if (identifier !== undefined && identifier.tenantId !== 0) {
      const query = expressionQuery(vault, expressionIn(vault, identifier))
      yield* storeFindings(cluster, identifier, query, document.created_at)
    }
    completed.push(id)
  }
  return completed
})

/** Stores a finding for each stored event that the query matches, and returns their number. */
const storeFindings = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  { id: identifier, tenantId }: { readonly id: number; readonly tenantId: number },
  query: Query,
  matchedAt: string
) {
  yield* cluster.refresh(eventIndex)
  let count = 0
  let after: SortValues | undefined
  do {
    const hits: ReadonlyArray<Hit<EventDocument>> = yield* cluster.search(eventIndex, {
      query,
      sort: [{ created_at: "desc" }, { uid_order: "desc" }],
      size: eventsAtOnce,
      ...(after === undefined ? {} : { search_after: after })
    })
    const findings = hits.map(({ document: { added_by: _added, replaced_by: _replaced, ...document } }) => {
      const event = eventIdOf(document.uid)
      return {
        index: findingIndex,
        id: findingIdOf(identifier, event),
        document: { ...document, event, identifier, tenantId, matched_at: matchedAt },
        // A running load may have stored a later version.
        keep: true as const
      }
    })
    yield* cluster.write(findings, { refresh: false })
    yield* removeOutdated(cluster, findings)
    count += hits.length
    after = hits.length < eventsAtOnce ? undefined : hits.at(-1)?.sort
  } while (after !== undefined)
  yield* cluster.refresh(findingIndex)
  return count
})

const eventsAtOnce = 500

/**
 * Removes findings of events that were replaced or deleted meanwhile. Loads store a replaced event before its
 * findings, and looks for those of the former version afterwards: whichever is later, removes them.
 */
const removeOutdated = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  findings: ReadonlyArray<{ readonly id: string; readonly document: EventDocument & { readonly event: string } }>
) {
  if (findings.length === 0) return
  const versions = yield* storedVersions(
    cluster,
    findings.map(({ document }) => document.event)
  )
  for (const { document, id } of findings) {
    if (versions.get(document.event)?.digest === document.digest) continue
    const finding = yield* cluster.get(findingIndex, id)
    if (finding === undefined) continue
    const event = yield* cluster.get(eventIndex, document.event)
    if (finding.document.digest === event?.document.digest) continue
    const { primaryTerm, seqNo } = finding.revision
    yield* cluster.call({
      method: "DELETE",
      path: `/${cluster.alias(findingIndex)}/_doc/${id}?if_seq_no=${seqNo}&if_primary_term=${primaryTerm}`,
      accepted: [404, 409]
    })
  }
})

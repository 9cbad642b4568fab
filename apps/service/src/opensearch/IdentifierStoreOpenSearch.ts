import { hash as digestOf } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { orNotFound } from "../requests/NotFound.ts"
import { eventIndex, findingIndex, readVersions } from "./events/EventIndex.ts"
import { materialize } from "./events/Materialization.ts"
import { type EventDocument, eventIdOf, findingDocumentOf, findingIdOf, isSealedEvent } from "./events/SealedEvent.ts"
import {
  assetIn,
  deletedIdentifier,
  expressionIn,
  findIdentifier,
  type IdentifierDocument,
  identifierIndex,
  sealAsset
} from "./IdentifierIndex.ts"
import { requireGroup } from "./IdentifierGroupStoreOpenSearch.ts"
import { type Cluster, type Hit, type Query, type SortValues } from "./cluster/Cluster.ts"
import { ClusterState, KeyedCluster, type KeyedIndices } from "./cluster/ClusterStart.ts"
import { attemptAll, repeatRecovery, requestsOverUntil } from "../requests/Recovery.ts"
import { expressionQuery } from "./cluster/ExpressionQuery.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { idOfTenant, keptOnly } from "./cluster/IndexDefinition.ts"
import { isWriting, noStrictLoads } from "./cluster/StrictLoadState.ts"
import { transferredCreations } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { type Asset, changeIdentifier, dataKey } from "../identifiers/Asset.ts"
import { type CreatedIdentifier, GroupMissing, IdentifierStore } from "../identifiers/Identifiers.ts"
import { dataKeysOf, identifierReader } from "./IdentifierReader.ts"

/**
 * Removes a pending change whose findings were stored as of `indices`, unless a strict load was running in the meantime:
 * it may have read the identifiers before the change, and its events were not visible until it ended.
 */
export const changeEnd = Effect.gen(function* () {
  const keyed = yield* KeyedCluster
  const state = yield* ClusterState
  return Effect.fnUntraced(function* ({ cluster }: KeyedIndices, id: string) {
    yield* state.revision
    const { strictLoads: before = noStrictLoads } = cluster
    const { strictLoads: after = noStrictLoads } = keyed.now.cluster
    if (isWriting(before) || isWriting(after) || before.last !== after.last) return
    yield* cluster.write([{ index: creationIndex, id, remove: true }], { refresh: false })
  })
})

export const IdentifierStoreOpenSearch = Layer.effect(
  IdentifierStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const state = yield* ClusterState
    /** Ids of identifiers that requests of this service match. */
    const matching = new Set<number>()
    const end = yield* changeEnd
    yield* repeatRecovery(
      Effect.gen(function* () {
        yield* state.revision
        const { now } = keyed
        if (!isWriting(now.cluster.strictLoads ?? noStrictLoads))
          yield* completeChanges(
            now,
            (id) => end(now, id),
            (id) => matching.has(id)
          )
      })
    )
    const scope = yield* Effect.scope
    /**
     * Matches an identifier whose change is noted, and returns the number of its events. If that takes long, it goes on
     * without the request, which gets undefined.
     */
    const match = Effect.fnUntraced(function* (now: KeyedIndices, identifier: IdentifierDocument, matchedAt: string) {
      const { id } = identifier
      matching.add(id)
      const matched = Effect.ensuring(
        Effect.tap(matchAgain(now, identifier, matchedAt), end(now, String(id))),
        Effect.sync(() => matching.delete(id))
      )
      const fiber = yield* Effect.forkIn(matched, scope)
      return Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.join(fiber), maxWait))
    })
    const requireOwnGroup = (tenantId: number, groupId: number | null) =>
      groupId === null
        ? Effect.void
        : Effect.mapError(requireGroup(keyed.now.cluster, tenantId, groupId), () => new GroupMissing())
    const note = (cluster: Cluster["Service"], id: number, created_at: string) =>
      cluster.put(creationIndex, String(id), { id, created_at })

    return IdentifierStore.of({
      insert: Effect.fnUntraced(function* ({ asset, groupId = null, tenantId }) {
        const { now } = keyed
        const { cluster } = now
        yield* requireOwnGroup(tenantId, groupId)
        const id = yield* cluster.nextNumber("identifiers")
        const { document } = yield* notePending(now, id, { tenantId, asset, groupId })
        yield* cluster.put(identifierIndex, String(id), document, "absent")
        // `eventIndexer` explains this order.
        return { id, count: yield* match(now, document, asset.created_at) }
      }),
      page: (listing) => Effect.suspend(() => reader.page(keyed.now, listing)),
      find: (tenantId, id) => Effect.suspend(() => orNotFound(reader.find(keyed.now, tenantId, id))),
      update: Effect.fnUntraced(function* ({ id, tenantId, update, updatedAt }) {
        const { now } = keyed
        const { cluster, vault } = now
        for (;;) {
          const stored = yield* cluster.get(identifierIndex, String(id))
          if (stored?.document.tenantId !== tenantId) return yield* Effect.fail(new NotFound())
          const { document, revision } = stored
          const former = {
            asset: assetIn(vault, document),
            groupId: document.groupId ?? null,
            isDisabled: document.isDisabled ?? false
          }
          const { asset, groupId, isDisabled, isMatchedAgain } = changeIdentifier(former, update, updatedAt)
          if (groupId !== former.groupId) yield* requireOwnGroup(tenantId, groupId)
          // Noted before the change, so that the recovery completes it even if this request is interrupted.
          if (isMatchedAgain) yield* note(cluster, id, updatedAt)
          const changed = { ...document, asset: sealAsset(vault, { id, tenantId }, asset), groupId, isDisabled }
          // Another change in the meantime may decide whether the identifier has to be matched again.
          if (!(yield* cluster.put(identifierIndex, String(id), changed, revision))) continue
          if (isMatchedAgain) yield* match(now, changed, updatedAt)
          else if (isDisabled) yield* cluster.remove(creationIndex, String(id))
          return
        }
      }),
      delete: Effect.fnUntraced(function* (tenantId, id) {
        const { cluster } = keyed.now
        const isOwn = (stored: IdentifierDocument | undefined) => stored?.tenantId === tenantId
        if (!isOwn(yield* findIdentifier(cluster, id))) return yield* Effect.fail(new NotFound())
        yield* note(cluster, id, DateTime.formatIso(yield* DateTime.now))
        const deleted = cluster.update(identifierIndex, String(id), (stored) =>
          isOwn(stored) ? deletedIdentifier(id) : undefined
        )
        yield* orNotFound(deleted)
        yield* removeFindings(cluster, id)
      })
    })
  })
)

const CreationDocument = Schema.Struct({
  id: Schema.Int,
  /** The creation of the identifier, in ISO 8601. */
  created_at: Schema.String
})

type NewIdentifier = Pick<CreatedIdentifier, "asset" | "tenantId"> & { readonly groupId: number | null }

/** Notes that an identifier is not matched yet, and returns its document, which is not stored. */
const notePending = Effect.fnUntraced(function* (
  { cluster, vault }: KeyedIndices,
  id: number,
  { asset, groupId, tenantId }: NewIdentifier
) {
  yield* cluster.write([{ index: creationIndex, id: String(id), document: { id, created_at: asset.created_at } }], {
    refresh: false
  })
  const document = {
    id,
    tenantId,
    asset: sealAsset(vault, { id, tenantId }, asset),
    groupId,
    isDisabled: false,
    policies: []
  }
  return { index: identifierIndex, id: String(id), document }
})

/**
 * Returns an identifier for each asset that the tenant has no identifier for; the caller stores them. Concurrent requests
 * for the same asset share a reserved id, also across services, so that one identifier is stored. `matched` stores the
 * findings of each stored one, unless another service has done it.
 */
export const prepareMissing = Effect.fnUntraced(function* (
  indices: KeyedIndices,
  tenantId: number,
  assets: ReadonlyArray<Asset>,
  end: Effect.Success<typeof changeEnd>
) {
  const { cluster } = indices
  const reserved = yield* Effect.forEach(Map.groupBy(assets, dataKey), ([key, [asset]]) =>
    Effect.map(reserveNumber(cluster, tenantId, key), (reservation) => ({ ...reservation, key, asset }))
  )
  // Read after the ids are reserved: a request that releases its reservation has already stored the identifier.
  // `reserveNumber` sees it in real time, but a search sees it only after a refresh.
  yield* cluster.refresh(identifierIndex)
  const known = yield* dataKeysOf(indices, tenantId)
  const identifiers = yield* Effect.forEach(
    reserved.flatMap(({ asset, id, key }) => (asset === undefined || known.has(key) ? [] : [{ asset, id }])),
    ({ asset, id }) => notePending(indices, id, { tenantId, asset, groupId: null })
  )
  const createdAt = assets[0]?.created_at ?? ""
  const matched = Effect.gen(function* () {
    for (const { document, id } of identifiers) {
      yield* matchAgain(indices, document, createdAt)
      yield* end(indices, id)
    }
    yield* cluster.write(
      reserved.flatMap(({ isOwn, reservation }) =>
        isOwn ? [{ index: creationIndex, id: reservation, remove: true as const }] : []
      ),
      { refresh: false }
    )
  })
  return { identifiers, matched }
})

/**
 * Reserves the id of the next identifier with this key. If the request is interrupted, other requests and the recovery
 * reuse the reservation.
 */
const reserveNumber = Effect.fnUntraced(function* (cluster: Cluster["Service"], tenantId: number, key: string) {
  const reservation = idOfTenant(tenantId, digestOf("sha256", key, "hex"))
  for (;;) {
    const found = yield* cluster.get(creationIndex, reservation)
    const isFree = found === undefined || (yield* cluster.get(identifierIndex, String(found.document.id))) !== undefined
    if (!isFree) return { reservation, id: found.document.id, isOwn: false }
    const id = yield* cluster.nextNumber("identifiers")
    const document = { id, created_at: DateTime.formatIso(yield* DateTime.now) }
    if (yield* cluster.put(creationIndex, reservation, document, found?.revision ?? "absent")) {
      return { reservation, id, isOwn: true }
    }
  }
})

/**
 * Identifiers whose creation, change or deletion is incomplete, and ids that are reserved for accepted recommendations.
 */
export const creationIndex = sealedIndex<typeof CreationDocument.Type>({
  name: "identifier-creations",
  version: 2,
  properties: { id: { type: "long" }, created_at: keptOnly },
  document: CreationDocument
})

const reader = identifierReader(creationIndex)

export const creationsTransfer = defineTransfer({
  table: transferredCreations,
  index: creationIndex,
  toDocument: (document) => ({ id: String(document.id), document })
})

/**
 * Completes changes that a service left incomplete because it was killed, the cluster was unavailable, or a strict load
 * was running. `end` takes the id of a document in `creationIndex`. Identifiers that this service matches are left out.
 */
const completeChanges = Effect.fnUntraced(function* (
  indices: KeyedIndices,
  end: (id: string) => Effect.Effect<void>,
  isMatching: (id: number) => boolean
) {
  const { cluster } = indices
  const overUntil = Date.parse(yield* requestsOverUntil)
  yield* cluster.refresh(creationIndex)
  const begun = yield* cluster.all(creationIndex, { query: { match_all: {} }, sort: [{ id: "asc" }] })
  yield* attemptAll(
    begun,
    Effect.fnUntraced(function* ({ document, id }) {
      if (isMatching(document.id)) return
      const identifier = yield* findIdentifier(cluster, document.id)
      const isRecent = Date.parse(document.created_at) > overUntil
      // The service that reserved the id may be about to store the identifier.
      if (identifier === undefined && isRecent) return
      if (identifier?.tenantId === 0) {
        yield* removeFindings(cluster, document.id)
        // A load that read the identifier before its deletion may still add findings.
        if (isRecent) return
      } else if (identifier !== undefined && identifier.isDisabled !== true) {
        // Another service may be storing the same findings. Both write them under the same ids.
        yield* matchAgain(indices, identifier, document.created_at)
      }
      yield* end(id)
    })
  )
})

const removeFindings = (cluster: Cluster["Service"], identifier: number) =>
  cluster.removeAll(findingIndex, { term: { identifier } })

/**
 * Stores the findings of an identifier, then removes those that it no longer matches. Repeats both if the identifier
 * changes in the meantime. Returns the number of events that it matches.
 */
const matchAgain = Effect.fnUntraced(function* (
  indices: KeyedIndices,
  identifier: IdentifierDocument,
  matchedAt: string
) {
  const { cluster, vault } = indices
  const { id } = identifier
  for (let current: IdentifierDocument = identifier; ;) {
    const query = expressionQuery(vault, expressionIn(indices, current))
    const count = yield* storeFindings(indices, current, query, matchedAt)
    yield* materialize(cluster)
    yield* cluster.removeAll(findingIndex, { bool: { filter: [{ term: { identifier: id } }], must_not: [query] } })
    const next = yield* findIdentifier(cluster, id)
    if (next === undefined || next.tenantId === 0) {
      yield* removeFindings(cluster, id)
      return 0
    }
    if (next.asset === current.asset) return count
    current = next
  }
})

/** Stores a finding for each stored event that the query matches, and returns their number. */
const storeFindings = Effect.fnUntraced(function* (
  { cluster, vault }: KeyedIndices,
  { id: identifier, tenantId }: { readonly id: number; readonly tenantId: number },
  query: Query,
  matchedAt: string
) {
  yield* cluster.refresh(eventIndex)
  let count = 0
  let after: SortValues | undefined
  do {
    const hits: ReadonlyArray<Hit<EventDocument>> = yield* cluster.search(
      eventIndex,
      {
        query,
        sort: [{ created_at: "desc" }, { uid_order: "desc" }],
        size: eventsAtOnce,
        ...(after === undefined ? {} : { search_after: after })
      },
      (hit) => isSealedEvent(vault, hit)
    )
    const findings = hits.map(({ document: { added_by: _added, replaced_by: _replaced, ...document } }) => {
      const event = eventIdOf(document.uid)
      return {
        index: findingIndex,
        id: findingIdOf(identifier, event),
        document: findingDocumentOf(vault, document, { event, identifier, tenantId, matched_at: matchedAt }),
        // A running load may already have stored a newer version.
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

/** A fraction of the time limit of a request. */
const maxWait = "15 seconds"

/**
 * Removes findings of events that were replaced or deleted in the meantime. Loads store a replaced event before its
 * findings, and then look for findings of the former version: whichever runs later removes them.
 */
const removeOutdated = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  findings: ReadonlyArray<{ readonly id: string; readonly document: EventDocument & { readonly event: string } }>
) {
  if (findings.length === 0) return
  const versions = yield* readVersions(
    cluster,
    findings.map(({ document }) => document.event)
  )
  for (const { document, id } of findings) {
    if (versions.get(document.event)?.digest === document.digest) continue
    const finding = yield* cluster.get(findingIndex, id)
    if (finding === undefined) continue
    const event = yield* cluster.get(eventIndex, document.event)
    if (finding.document.digest === event?.document.digest) continue
    const { revision } = finding
    yield* cluster.write([{ index: findingIndex, id, remove: true, revision }], { refresh: false })
  }
})

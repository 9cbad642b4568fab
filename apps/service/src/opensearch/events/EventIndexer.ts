/** Writes the events of a load to OpenSearch, matched against the identifiers of every tenant. */
import * as Effect from "effect/Effect"
import type { RecordIndexer } from "../LoadTargetOpenSearch.ts"
import { eventIndex, findingIndex, readVersions } from "./EventIndex.ts"
import { materialize } from "./Materialization.ts"
import {
  encryptFields,
  encryptFieldsOfFinding,
  eventDocumentOf,
  eventIdOf,
  eventRewriting,
  findingDocumentOf,
  findingIdOf,
  findingRewriting,
  rewrittenEvent
} from "./SealedEvent.ts"
import { IdentifierMatcher } from "../IdentifierIndex.ts"
import type { Cluster } from "../cluster/Cluster.ts"
import type { KeyedCluster } from "../cluster/ClusterStart.ts"
import type { KeyedIndex } from "../cluster/IndexDefinition.ts"
import type { WriteOperation } from "../cluster/WriteOperation.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { fields } from "../../search/SearchDocument.ts"
import { transferredEvents, transferredFindings } from "../../transfer/TransferredTables.ts"
import { defineTransfer } from "../cluster/ClusterTransfer.ts"
import { prepareChunk } from "../../events/EventReader.ts"
import type { PreparedEvent } from "../../events/PreparedEvent.ts"

/**
 * Events are stored first, then identifiers are read, then findings are stored. The creation of an identifier uses the
 * opposite order: it stores the identifier and then searches the events. So the later of the two operations sees what
 * the other has written.
 */
export const eventIndexer = (keyed: KeyedCluster["Service"]): RecordIndexer<PreparedEvent> => {
  const matcher = new IdentifierMatcher()
  return {
    prepare: prepareChunk,
    publishedTogether: 20_000,
    idOf: ({ uid }) => uid,
    equal: (one, other) => Buffer.from(one.digest).equals(other.digest),
    write: Effect.fnUntraced(function* (events, { keep, keyId, now }) {
      const { now: indices } = keyed
      requireKey(indices, keyId)
      const { cluster, vault } = indices
      const ids = events.map(({ uid }) => eventIdOf(uid))
      const stored = yield* readVersions(cluster, ids)
      const documents = events.flatMap((event, at) => {
        const id = ids[at] ?? ""
        const version = stored.get(id)
        const isUnchanged = version?.digest === Buffer.from(event.digest).toString("hex")
        if (version !== undefined && keep && !isUnchanged) return []
        return [
          { event, id, isUnchanged, document: eventDocumentOf(vault, event, isUnchanged ? version.loaded_at : now) }
        ]
      })
      const changed = documents.filter(({ isUnchanged }) => !isUnchanged)
      yield* cluster.write(
        changed.map(({ document, id }) => ({ index: eventIndex, id, document })),
        { refresh: false }
      )
      const replaced = changed.map(({ id }) => id).filter((id) => stored.has(id))
      const former = yield* findingsOf(cluster, replaced)
      const materialized = new Map(
        former.map(({ document: { event, materialized_at, tenantId } }) => [`${tenantId}:${event}`, materialized_at])
      )
      const matching = yield* matcher.refresh(indices)
      const found = documents.flatMap(({ document, event, id, isUnchanged }) =>
        matching(matchable(event)).map(({ id: identifier, tenantId }): WriteOperation => {
          const finding = {
            index: findingIndex,
            id: findingIdOf(identifier, id),
            document: findingDocumentOf(vault, document, {
              event: id,
              identifier,
              tenantId,
              matched_at: now,
              materialized_at: materialized.get(`${tenantId}:${id}`)
            })
          }
          // A load that was killed may have stored the event without all of its findings.
          return isUnchanged ? Object.assign(finding, { keep: true as const }) : finding
        })
      )
      const kept = new Set(found.map(({ id }) => id))
      const removals = former
        .filter(({ id }) => !kept.has(id))
        .map(({ id }): WriteOperation => ({ index: findingIndex, id, remove: true }))
      yield* cluster.write(removals, { refresh: false })
      yield* cluster.write(found, { refresh: false })
      return {
        added: changed.length - replaced.length,
        replaced: replaced.length,
        unchanged: events.length - changed.length
      }
    }),
    publish: Effect.suspend(() => {
      const { cluster } = keyed.now
      return Effect.andThen(cluster.refresh(eventIndex), cluster.refresh(findingIndex))
    }),
    published: Effect.suspend(() => materialize(keyed.now.cluster))
  }
}

const findingsOf = Effect.fnUntraced(function* (cluster: Cluster["Service"], events: ReadonlyArray<string>) {
  if (events.length === 0) return []
  yield* cluster.refresh(findingIndex)
  return yield* cluster.all(findingIndex, {
    query: { terms: { event: events } },
    sort: [{ created_at: "asc" }, { uid_order: "asc" }, { identifier: "asc" }]
  })
})

const matchable = ({ terms, words }: PreparedEvent) => ({
  texts: fields.map((field, at) => ({ field, words: (words[at] ?? "").split(" ").map((text) => ({ text })) })),
  terms
})

export const keyedEvents: KeyedIndex = { index: eventIndex, rewriting: eventRewriting }

export const keyedFindings: KeyedIndex = { index: findingIndex, rewriting: findingRewriting }

export const eventsTransfer = defineTransfer({
  table: transferredEvents,
  index: eventIndex,
  hasDigests: true,
  toDocument: (row, vault) => {
    const document = rewrittenEvent(vault, row)
    return { id: eventIdOf(row.uid), document, encrypted: encryptFields(document) }
  }
})

export const findingsTransfer = defineTransfer({
  table: transferredFindings,
  index: findingIndex,
  toDocument: ({ identifier, matchedAt, materializedAt, tenantId, ...row }, vault) => {
    const event = eventIdOf(row.uid)
    const found = { event, identifier, tenantId, matched_at: matchedAt, materialized_at: materializedAt }
    const document = findingDocumentOf(vault, rewrittenEvent(vault, row), found)
    return { id: findingIdOf(identifier, event), document, encrypted: encryptFieldsOfFinding(document) }
  }
})

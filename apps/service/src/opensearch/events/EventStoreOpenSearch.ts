import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { shownName } from "../../matching/IdentifierExpression.ts"
import { EventStatus } from "@threat-exposure/core/domain/Event"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { requireGroup } from "../IdentifierGroupStoreOpenSearch.ts"
import { criteriaIn, findIdentifier, expressionIn, identifierIndex } from "../IdentifierIndex.ts"
import type { Cluster, ClusterSearch, Hit, Query } from "../cluster/Cluster.ts"
import { KeyedCluster, type KeyedIndices } from "../cluster/ClusterStart.ts"
import { expressionQuery } from "../cluster/ExpressionQuery.ts"
import { tenantSearches } from "../cluster/TenantSearches.ts"
import { repeatRecovery } from "../../requests/Recovery.ts"
import { idsOf } from "../cluster/StrictLoadState.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { matchAll, or } from "../../search/Expression.ts"
import { decodeAnalysis } from "../../events/EventAnalysis.ts"
import { type AnnotationDocument, annotationIndex, eventIndex, findingIndex } from "./EventIndex.ts"
import { completeMaterialization, lastVisibleTime } from "./Materialization.ts"
import { type EventDocument, eventIdOf, type FindingDocument, isSealedEvent, isSealedFinding } from "./SealedEvent.ts"
import { annotationIn, changeAnnotations } from "./EventAnnotationsOpenSearch.ts"
import { eventItem } from "../../events/EventItem.ts"
import { type EventListing, EventStore, isByArrival, uidForOrder, StoredEvent } from "../../events/EventStore.ts"
import { analysisContext, documentContext } from "../../events/PreparedEvent.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"
import { requireNoneMissing } from "../../requests/NotFound.ts"

export const EventStoreOpenSearch = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const searches = yield* tenantSearches
    yield* repeatRecovery(Effect.suspend(() => completeMaterialization(keyed.now.cluster)))

    const findingsOf = ({ cluster, vault }: KeyedIndices, tenantId: number, events: ReadonlyArray<string>) =>
      cluster.all(
        findingIndex,
        {
          query: { bool: { filter: [{ term: { tenantId } }, { terms: { event: events } }] } },
          sort: [{ created_at: "asc" }, { uid_order: "asc" }, { identifier: "asc" }]
        },
        (hit) => isSealedFinding(vault, hit)
      )

    /** The conditions for severities, tags and statuses, which depend on the tenant's annotations. */
    const annotationConditions = Effect.fnUntraced(function* (
      cluster: Cluster["Service"],
      { filters: { severities, statuses, tags }, tenantId }: EventListing,
      ofEvents: (events: ReadonlyArray<string>) => Query
    ) {
      const annotationsWith = (...conditions: ReadonlyArray<Query>) =>
        Effect.map(
          cluster.all(annotationIndex, {
            query: { bool: { filter: [{ term: { tenantId } }, ...conditions] } },
            sort: [{ event: "asc" }]
          }),
          (hits) => hits.map(({ document }) => document)
        )
      const eventsIn = (annotations: ReadonlyArray<AnnotationDocument>) =>
        ofEvents(annotations.map(({ event }) => event))
      const filter: Array<Query> = []
      const must_not: Array<Query> = []
      if (severities !== undefined) {
        const overridden = yield* annotationsWith({ term: { isOverridden: true } })
        const isSelected = ({ severity }: AnnotationDocument) => severity !== null && severities.includes(severity)
        filter.push({
          bool: {
            should: [{ terms: { severity: severities } }, eventsIn(overridden.filter(isSelected))],
            minimum_should_match: 1
          }
        })
        must_not.push(eventsIn(overridden.filter((annotation) => !isSelected(annotation))))
      }
      if (tags !== undefined) {
        filter.push(eventsIn(yield* annotationsWith(...tags.map((tag) => ({ term: { tags: tag } })))))
      }
      if (statuses?.includes("open") === true) {
        // An event without annotations is open.
        const others = EventStatus.literals.filter((status) => !statuses.includes(status))
        must_not.push(eventsIn(yield* annotationsWith({ terms: { status: others } })))
      } else if (statuses !== undefined) {
        filter.push(eventsIn(yield* annotationsWith({ terms: { status: statuses } })))
      }
      return { filter, must_not }
    })

    const readPage = Effect.fnUntraced(function* (listing: EventListing) {
      const { after, expression, filters, keyId, matchedTo, order, size, tenantId } = listing
      const { now } = keyed
      const { cluster, vault } = now
      requireKey(now, keyId)
      const identifier = typeof matchedTo === "number" ? yield* findIdentifier(now.cluster, matchedTo) : undefined
      if (typeof matchedTo === "number" && identifier?.tenantId !== tenantId) return yield* Effect.fail(new NotFound())
      const members =
        typeof matchedTo === "object" ? yield* identifiersOfGroup(cluster, tenantId, matchedTo.group) : undefined
      const { arrivedSince, arrivedUntil, since, types, until } = filters
      const byArrival = isByArrival(listing)
      const visible = byArrival ? yield* lastVisibleTime(cluster) : 0
      const arrived = { gte: arrivedSince ?? 0, lte: Math.min(visible, arrivedUntil ?? visible) }
      const isFinding = matchedTo !== undefined
      const annotations = yield* annotationConditions(cluster, listing, (events) =>
        isFinding
          ? termsOf("event", events)
          : termsOf(
              "_id",
              events.flatMap((id) => idsOf(cluster.strictLoads, id))
            )
      )
      const search = {
        timeout: searches.limit.timeout,
        size: size + 1,
        sort: [{ [byArrival ? "materialized_at" : "created_at"]: order }, { uid_order: order }],
        query: {
          bool: {
            filter: [
              expressionQuery(vault, expression ?? matchAll),
              ...(typeof matchedTo === "number" ? [{ term: { identifier: matchedTo } }] : []),
              ...(isFinding && typeof matchedTo !== "number" ? [{ term: { tenantId } }] : []),
              ...(members === undefined ? [] : [termsOf("identifier", members)]),
              ...(types === undefined ? [] : [{ terms: { type: types } }]),
              ...(since === undefined ? [] : [{ range: { created_at: { gte: since } } }]),
              ...(until === undefined ? [] : [{ range: { created_at: { lte: until } } }]),
              ...(byArrival ? [{ range: { materialized_at: arrived } }] : []),
              ...annotations.filter
            ],
            must_not: annotations.must_not
          }
        },
        ...(after === undefined ? {} : { search_after: [after.at, uidForOrder(after.uid) ?? after.uid] })
      }
      const found: ReadonlyArray<Listed> = isFinding
        ? yield* distinctFindings(now, search, typeof matchedTo === "number" ? 1 : findingsOfEvent)
        : (yield* cluster.search(eventIndex, search, (hit) => isSealedEvent(vault, hit))).map(
            ({ document }) => document
          )
      const selected = found.slice(0, size)
      const ids = selected.map(({ uid }) => eventIdOf(uid))
      const highlighted = expression ?? (identifier === undefined ? undefined : expressionIn(now, identifier))
      const [findings, notes] =
        ids.length === 0
          ? [[], []]
          : yield* Effect.all(
              [
                findingsOf(now, tenantId, ids),
                cluster.all(annotationIndex, {
                  query: { bool: { filter: [{ term: { tenantId } }, { terms: { event: ids } }] } },
                  sort: [{ event: "asc" }]
                })
              ],
              { concurrency: 2 }
            )
      const findingsByEvent = Map.groupBy(findings, ({ document }) => document.event)
      const noteByEvent = new Map(notes.map(({ document }) => [document.event, document]))
      const names = isFinding
        ? yield* namesOf(now, [...new Set(findings.map(({ document }) => document.identifier))])
        : new Map<number, never>()
      const items = selected.flatMap((document) => {
        const id = eventIdOf(document.uid)
        const matched = findingsByEvent.get(id) ?? []
        const materializedAt = firstTimeOf(matched)
        // Two identifiers that were created at the same time may each have given the event a time; the earliest one
        // counts.
        if (byArrival && document.materialized_at !== materializedAt) return []
        const own = matched.find((finding) => finding.document.identifier === matchedTo)
        const note = noteByEvent.get(id)
        const event = decodeStored(vault.decrypt(document.document, documentContext(document.uid)))
        const analysis = vault.decrypt(document.analysis, analysisContext(document.uid))
        const identifiers = isFinding
          ? matched
              .map((finding) => finding.document.identifier)
              .filter((identifier) => members?.includes(identifier) !== false)
              .toSorted((a, b) => a - b)
              .flatMap((identifier) => names.get(identifier) ?? [])
          : undefined
        // The identifier was deleted; its findings are removed after it.
        if (identifiers?.length === 0) return []
        // Without `highlighted`, a listing of findings highlights what the matching identifiers of the tenant look for.
        const anyIdentifier = () => or(...(identifiers ?? []).map(({ document }) => expressionIn(now, document)))
        return eventItem(highlighted ?? (isFinding ? anyIdentifier() : matchAll), {
          event,
          document: decodeAnalysis(vault, event.data, analysis),
          materializedAt,
          matchedAt: own?.document.matched_at ?? firstOf(matched.map((finding) => finding.document.matched_at)),
          loadedAt: document.loaded_at,
          annotation: annotationIn(document.uid, note),
          identifiers
        })
      })
      const last: Listed | undefined = found.length > size ? selected.at(-1) : undefined
      return {
        items,
        count: selected.length,
        last:
          last === undefined
            ? undefined
            : { at: byArrival ? (last.materialized_at ?? 0) : last.created_at, uid: last.uid }
      }
    })

    const page = Effect.fnUntraced(function* (listing: EventListing) {
      for (let { after } = listing; ;) {
        const { items, last, count } = yield* readPage({ ...listing, after })
        // Readers that poll for arrivals take a page without items for the end, so an empty page is skipped.
        if (items.length > 0 || last === undefined) return { items: JSON.stringify(items), last, count }
        after = last
      }
    })

    const namesOf = Effect.fnUntraced(function* ({ cluster, vault }: KeyedIndices, ids: ReadonlyArray<number>) {
      const hits = yield* cluster.all(identifierIndex, { query: { terms: { id: ids } }, sort: [{ id: "asc" }] })
      return new Map(
        hits
          .filter(({ document }) => document.tenantId !== 0)
          .map(({ document }) => {
            const name = shownName(criteriaIn(vault, document))
            return [document.id, { id: document.id, name, document }] as const
          })
      )
    })

    /** Selects the events that match an identifier of the tenant. */
    const matchedOf = Effect.fnUntraced(function* (
      { cluster, vault }: KeyedIndices,
      tenantId: number,
      events: ReadonlyArray<string>
    ) {
      const found = yield* Effect.forEach(
        events,
        (event) =>
          cluster.search(
            findingIndex,
            {
              query: { bool: { filter: [{ term: { tenantId } }, { term: { event } }] } },
              sort: [{ identifier: "asc" }],
              size: 1
            },
            (hit) => isSealedFinding(vault, hit)
          ),
        { concurrency: 4 }
      )
      return new Set(found.flat().map(({ document }) => document.event))
    })

    return EventStore.of({
      page: (listing) => searches.long(listing.tenantId, page(listing)),
      annotate: Effect.fnUntraced(function* (tenantId, uids, change) {
        const { now } = keyed
        const { cluster } = now
        const matched = yield* matchedOf(now, tenantId, uids.map(eventIdOf))
        yield* requireNoneMissing(uids.filter((uid) => !matched.has(eventIdOf(uid))))
        return yield* changeAnnotations(cluster, tenantId, uids, change)
      }),
      get: Effect.fnUntraced(function* (tenantId, uid) {
        const { now } = keyed
        const { cluster, vault } = now
        const id = eventIdOf(uid)
        const [found] = yield* cluster.search(
          eventIndex,
          {
            query: { terms: { _id: idsOf(cluster.strictLoads, id) } },
            sort: [{ uid_order: "asc" }],
            size: 1
          },
          (hit) => isSealedEvent(vault, hit)
        )
        if (found === undefined) return yield* Effect.fail(new NotFound())
        const stored = decodeStored(vault.decrypt(found.document.document, documentContext(uid)))
        const findings = yield* findingsOf(now, tenantId, [id])
        const matchedAt = firstOf(findings.map(({ document }) => document.matched_at))
        return {
          ...stored,
          metadata: { ...stored.metadata, matched_at: matchedAt ?? stored.metadata.matched_at ?? null }
        }
      })
    })
  })
)

/**
 * The findings of a page, one per event. The findings of an event are adjacent, and a search after the last of them
 * skips the rest of its event.
 */
const distinctFindings = Effect.fnUntraced(function* (
  { cluster, vault }: KeyedIndices,
  search: ClusterSearch & { readonly size: number },
  perEvent: number
) {
  const wanted = search.size
  const size = wanted * perEvent
  const found: Array<FindingDocument> = []
  let { search_after } = search
  for (;;) {
    const hits: ReadonlyArray<Hit<FindingDocument>> = yield* cluster.search(
      findingIndex,
      { ...search, size, search_after },
      (hit) => isSealedEvent(vault, { ...hit, id: hit.document.event }) && isSealedFinding(vault, hit)
    )
    for (const { document } of hits) if (document.event !== found.at(-1)?.event) found.push(document)
    if (found.length >= wanted || hits.length < size) return found.slice(0, wanted)
    search_after = hits.at(-1)?.sort
  }
})

const identifiersOfGroup = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  tenantId: number,
  groupId: number
) {
  yield* requireGroup(cluster, tenantId, groupId)
  const found = yield* cluster.all(identifierIndex, {
    query: { bool: { filter: [{ term: { tenantId } }, { term: { groupId } }] } },
    sort: [{ id: "asc" }]
  })
  return found.map(({ document }) => document.id)
})

/**
 * The expected number of a tenant's identifiers that match an event. A page with more of them takes further searches.
 */
const findingsOfEvent = 4

/** OpenSearch accepts at most 65,536 values in one condition. Without values, the condition matches no document. */
const termsOf = (field: string, values: ReadonlyArray<string | number>): Query => ({
  bool: {
    should: Array.from({ length: Math.max(1, Math.ceil(values.length / maxTerms)) }, (_, part) => ({
      terms: { [field]: values.slice(part * maxTerms, (part + 1) * maxTerms) }
    })),
    minimum_should_match: 1
  }
})

const maxTerms = 65_536

/** An event, or one of its findings. */
type Listed = EventDocument & Pick<FindingDocument, "materialized_at">

/** When the event reached the tenant; null if not decided yet. */
const firstTimeOf = (findings: ReadonlyArray<Hit<FindingDocument>>): number | null => {
  const times = findings.flatMap(({ document }) => document.materialized_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

const firstOf = (times: ReadonlyArray<string>): string | null => times.toSorted()[0] ?? null

const decodeStored = jsonDecoder(StoredEvent)

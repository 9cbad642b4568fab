import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import { orNotFound, requireNoneMissing } from "../../requests/NotFound.ts"
import * as Schema from "effect/Schema"
import { Severity } from "@threat-exposure/core/domain/Severity"
import { shownName } from "../../matching/IdentifierExpression.ts"
import { criteriaOf, expressionOfStored, IdentifierRow } from "../IdentifierPercolator.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"
import { requireKey } from "../../requests/StoreUnavailable.ts"
import { type Expression, matchAll, or } from "../../search/Expression.ts"
import { query, select } from "../database/Connection.ts"
import { hasGroup } from "../IdentifierStoreSqlite.ts"
import { isPublished } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import { storeLayer } from "../database/StoreMethods.ts"
import { type EventAnnotation, noAnnotation } from "../../events/EventAnnotations.ts"
import { eventItem } from "../../events/EventItem.ts"
import { selectByArrival } from "./ArrivalSelection.ts"
import { timeOfArrival } from "./Arrivals.ts"
import { annotateEvents } from "./EventAnnotationsSqlite.ts"
import { decryptEvent, EncryptedEvent, readDocument } from "./BroadPrefixes.ts"
import { selectEvents, type SelectionProgress } from "./EventSelection.ts"
import {
  type EventListing,
  type EventPage,
  EventStore,
  isByArrival,
  type StoredEvent
} from "../../events/EventStore.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export const EventStoreSqlite = storeLayer(EventStore)(({ read, search, write }) => ({
  page: flow(search("page", findPage), orNotFound),
  get: flow(
    read("get", ({ connection, vault }, tenantId, uid): StoredEvent | undefined => {
      const row = connection.first(eventByUid, tenantId, uid)
      if (row === undefined) return undefined
      const stored = decryptEvent(vault, { document: row.document, uid })
      return {
        ...stored,
        metadata: { ...stored.metadata, matched_at: row.matched_at ?? stored.metadata.matched_at ?? null }
      }
    }),
    orNotFound
  ),
  annotate: flow(
    write("annotate", annotateEvents),
    Effect.flatMap(({ annotations, missing }) => Effect.as(requireNoneMissing(missing), annotations))
  )
}))

function findPage(
  database: OpenDatabase,
  { input: listing, progress, time }: SliceInput<EventListing, PageProgress>
): Slice<PageProgress, EventPage | undefined> {
  const { connection, vault } = database
  const { expression, keyId, matchedTo, size, tenantId } = listing
  requireKey(database, keyId)
  const ownIdentifier = typeof matchedTo === "number" ? matchedTo : undefined
  const own = ownIdentifier === undefined ? undefined : connection.first(identifierOf, ownIdentifier, tenantId)
  if (ownIdentifier !== undefined && own === undefined) return { isDone: true, output: undefined }
  const group = groupIn(matchedTo)
  if (!hasGroup(connection, tenantId, group)) return { isDone: true, output: undefined }
  // Without a query, highlight what the identifier matches, or what the tenant's matching identifiers look for.
  const highlighted =
    expression ?? (own === undefined ? undefined : expressionOfStored(database, own.id, criteriaOf(vault, own)))
  const identifiers: KnownIdentifiers = { byId: new Map(), withExpressions: highlighted === undefined }
  let after = progress?.after ?? listing.after
  let selecting = progress?.selecting
  for (const end = monotonicNow() + time; ;) {
    const slice = { input: { ...listing, after }, progress: selecting, time: Math.max(0, end - monotonicNow()) }
    const selection = (isByArrival(listing) ? selectByArrival : selectEvents)(database, slice)
    if (!selection.isDone) return { isDone: false, progress: { after, selecting: selection.progress } }
    const selected = selection.output.slice(0, size)
    const last = selection.output.length > size ? selected.at(-1) : undefined
    const items = selected
      .flatMap(({ id }) =>
        connection.own(eventById, [ownIdentifier ?? null, tenantId, tenantId, tenantId, id], (row) => {
          const found = foundEvent(database, listing, row, identifiers)
          // The identifier was deleted; its matches are removed after it.
          if (found.identifiers?.length === 0) return []
          const ofIdentifiers = () => or(...(found.identifiers ?? []).map(({ expression }) => expression))
          return [eventItem(highlighted ?? (found.identifiers === undefined ? matchAll : ofIdentifiers()), found)]
        })
      )
      .flat()
    // Readers that poll for arrivals take a page without items for the end, so an empty page is skipped.
    if (items.length > 0 || last === undefined) {
      const next = last === undefined ? undefined : { at: last.at, uid: last.uid }
      return { isDone: true, output: { items: JSON.stringify(items), count: selected.length, last: next } }
    }
    after = { at: last.at, uid: last.uid }
    selecting = undefined
    if (monotonicNow() >= end) return { isDone: false, progress: { after, selecting } }
  }
}

interface PageProgress {
  readonly after: EventListing["after"]
  readonly selecting: SelectionProgress | undefined
}

type Row = typeof EventRow.Type

const EventRow = Schema.Struct({
  id: Schema.String,
  ...EncryptedEvent,
  loaded_at: Schema.String,
  matched_at: Schema.NullOr(Schema.String),
  materialized_at: Schema.NullOr(Schema.Int),
  override: Schema.NullOr(Schema.String),
  tags: Schema.NullOr(Schema.String),
  notes: Schema.NullOr(Schema.String),
  ignored_at: Schema.NullOr(Schema.String),
  remediated_at: Schema.NullOr(Schema.String)
})

/** Without INDEXED BY, the planner would use any index that begins with the tenant, and read all of its matches. */
const firstMatch = `(
  SELECT MIN(o.matched_at) FROM identifier_events o INDEXED BY events_of_tenant
  WHERE o.tenant_id = ? AND o.event_id = e.id)`

const firstArrival = `(
  SELECT ${timeOfArrival("o.arrival")} FROM identifier_events o INDEXED BY events_of_tenant
  WHERE o.tenant_id = ? AND o.event_id = e.id LIMIT 1)`

const eventById = query(
  EventRow,
  `SELECT CAST(e.id AS TEXT) AS id, e.uid, e.loaded_at, e.document, e.analysis,
     coalesce(
       (SELECT m.matched_at FROM identifier_events m WHERE m.identifier_id = ? AND m.event_id = e.id), ${firstMatch}
     ) AS matched_at, ${firstArrival} AS materialized_at,
     a.severity AS override, a.tags, a.notes, a.ignored_at, a.remediated_at
   FROM events e LEFT JOIN event_annotations a ON a.tenant_id = ? AND a.uid = e.uid
   WHERE e.id = CAST(? AS INTEGER)`
)

const foundEvent = (
  database: OpenDatabase,
  { matchedTo, tenantId }: EventListing,
  row: Row,
  identifiers: KnownIdentifiers
) => {
  const { connection, vault } = database
  const { id, loaded_at, matched_at, materialized_at, uid } = row
  const event = decryptEvent(vault, row)
  const [annotation = noAnnotation(uid)] = connection.readOwn(
    () => annotationIn(row),
    () => ["event_annotations", `${tenantId}:${uid}`]
  )
  return {
    event,
    document: readDocument(vault, row, event),
    matchedAt: matched_at,
    materializedAt: materialized_at,
    loadedAt: loaded_at,
    annotation,
    identifiers: matchedTo === undefined ? undefined : identifiersOf(database, { tenantId, matchedTo }, id, identifiers)
  }
}

const annotationIn = ({ ignored_at, notes, override, remediated_at, tags, uid }: Row): EventAnnotation => ({
  uid,
  severity: override === null ? null : decodeSeverity(override),
  tags: tags === null ? [] : decodeTags(tags),
  notes: notes ?? "",
  ignored_at,
  remediated_at
})

const decodeSeverity = Schema.decodeUnknownSync(Severity)
const decodeTags = jsonDecoder(Schema.Array(Schema.String))

interface MatchedIdentifier {
  readonly id: number
  readonly name: string
  readonly expression: Expression
}

/** Expressions are not read without `withExpressions`, because reading them takes the longest. */
interface KnownIdentifiers {
  readonly byId: Map<number, ReadonlyArray<MatchedIdentifier>>
  readonly withExpressions: boolean
}

/** Cached per page, because its events mostly match the same identifiers. */
const identifiersOf = (
  database: OpenDatabase,
  { matchedTo, tenantId }: Pick<EventListing, "matchedTo" | "tenantId">,
  eventId: string,
  { byId, withExpressions }: KnownIdentifiers
): ReadonlyArray<MatchedIdentifier> =>
  database.connection
    .tuples(identifiersOfEvent, tenantId, eventId, groupIn(matchedTo), groupIn(matchedTo))
    .flatMap(([identifierId]) => {
      const id = Number(identifierId)
      const before = byId.get(id)
      if (before !== undefined) return before
      const matched = database.connection.own(identifierOf, [id, tenantId], (identifier) => {
        const criteria = criteriaOf(database.vault, identifier)
        const expression = withExpressions ? expressionOfStored(database, id, criteria) : matchAll
        return { id, name: shownName(criteria), expression }
      })
      byId.set(id, matched)
      return matched
    })

const groupIn = (matchedTo: EventListing["matchedTo"]): number | null =>
  typeof matchedTo === "object" ? matchedTo.group : null

const identifierOf = select(IdentifierRow, "FROM identifiers WHERE id = ? AND tenant_id = ?")

/**
 * CROSS JOIN: otherwise the planner reads all identifiers of the tenant and looks for a match of each. INDEXED BY:
 * otherwise it reads the matches of every tenant. A deleted identifier has no tenant; its matches are removed later.
 */
const identifiersOfEvent = `SELECT i.id FROM identifier_events m INDEXED BY events_of_tenant
   CROSS JOIN identifiers i ON i.id = m.identifier_id AND i.tenant_id = m.tenant_id
 WHERE m.tenant_id = ? AND m.event_id = CAST(? AS INTEGER) AND (? IS NULL OR i.group_id = ?)
 ORDER BY m.identifier_id`

const eventByUid = query(
  Schema.Struct({ uid: Schema.String, document: Schema.Uint8Array, matched_at: Schema.NullOr(Schema.String) }),
  `SELECT e.uid, e.document, ${firstMatch} AS matched_at FROM events e WHERE e.uid = ? AND ${isPublished("e", "events")}`
)

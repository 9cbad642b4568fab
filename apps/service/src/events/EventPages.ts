/** Pages of events: of the whole data set, or of one identifier's. */
import { defaultSize } from "@threat-exposure/core/domain/Credential"
import {
  type Event,
  EventQuery,
  type EventSearch,
  type IdentifierEvent,
  type IdentifierEventSearch
} from "@threat-exposure/core/domain/Event"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { hiddenName } from "@threat-exposure/core/domain/Identifier"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { cursors } from "../crypto/Cursor.ts"
import type { Vault } from "../crypto/Vault.ts"
import { expressionOf, queryStringFault } from "../matching/EventQueries.ts"
import { shownType } from "../matching/EventTypes.ts"
import { criteriaOf, expressionOfStored } from "../matching/IdentifierPercolator.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { query } from "../sqlite/Connection.ts"
import { type OpenDatabase, procedure } from "../sqlite/Procedure.ts"
import type { Slice, SliceInput } from "../sqlite/SlicedSearch.ts"
import { documentContext, StoredEvent } from "./EventInserts.ts"
import { type EventListing, type ListingPosition, type SelectionProgress, selectEvents } from "./EventSelection.ts"
import { type Expression, matchAll } from "../search/Expression.ts"
import { highlightsOf, titleOf } from "../search/Highlights.ts"
import { eventDocument } from "./EventDocument.ts"

export interface EventPage {
  readonly items: ReadonlyArray<IdentifierEvent>
  readonly next: string | null
}

/** Or every fault that a schema cannot tell of: a query that cannot be read, a `from` that was altered or is another search's. */
export const eventListing = (
  vault: Vault,
  { tenantId }: { readonly tenantId: number },
  identifierId: number | undefined,
  { filters, from, order = "desc", query: given, size = defaultSize }: EventSearch | IdentifierEventSearch
): Result.Result<EventListing, ReadonlyArray<ValidationFault>> => {
  const query = given === undefined ? undefined : encodeQuery(given)
  const listing = { tenantId, identifierId, query, filters, order, size }
  const sought = query === undefined ? undefined : expressionOf(vault, query)
  const after = from == null ? undefined : placeAt(vault, listing, from)
  const faults = [
    ...(sought === undefined || Result.isSuccess(sought) ? [] : [queryStringFault(sought.failure)]),
    ...(from == null || after !== undefined ? [] : [invalidCursor("body")])
  ]
  return faults.length > 0
    ? Result.fail(faults)
    : Result.succeed({ ...listing, sought: sought === undefined ? undefined : Result.getOrThrow(sought), after })
}

const placeAt = (vault: Vault, listing: Bound, from: string): ListingPosition | undefined => {
  const opened = eventCursors.decode(vault, identityOf(listing), from)
  if (Result.isFailure(opened)) return undefined
  const [createdAt, uid, position] = opened.success
  return { key: { createdAt, uid }, position }
}

/** The last event's sort key, and how many items came up to it. */
const eventCursors = cursors(Schema.Tuple([Schema.Int, Schema.String, Schema.Int]))

type Bound = Omit<EventListing, "after" | "sought">

/** What a cursor is bound to. */
const identityOf = ({ filters, identifierId, order, query, tenantId }: Bound) => [
  "events",
  tenantId,
  identifierId ?? null,
  query ?? null,
  filters ?? null,
  order
]

/** Undefined where the identifier is not the tenant's. In slices: see {@link searchInSlices}. */
export const eventPageJob = procedure(
  "events.page",
  (database, slice: SliceInput<EventListing, SelectionProgress>): Slice<SelectionProgress, EventPage | undefined> => {
    const { connection, vault } = database
    const { after, identifierId, size, sought, tenantId } = slice.input
    const identifier = identifierId === undefined ? undefined : connection.first(identifierOf, identifierId, tenantId)
    if (identifierId !== undefined && identifier === undefined) return { isDone: true, output: undefined }
    const selection = selectEvents(database, slice)
    if (!selection.isDone) return selection
    const page = selection.output.slice(0, size)
    const last = selection.output.length > size ? page.at(-1) : undefined
    // Without a query, highlight what the identifier matches.
    const shown =
      sought ??
      (identifier === undefined ? matchAll : expressionOfStored(database, identifier.id, criteriaOf(vault, identifier)))
    const items = page.flatMap(({ id }) => {
      const row = connection.first(eventById, identifierId ?? null, tenantId, tenantId, id)
      return row === undefined ? [] : [itemOf(database, slice.input, shown, row)]
    })
    const position = (after?.position ?? 0) + page.length
    const next =
      last === undefined
        ? null
        : eventCursors.encode(vault, identityOf(slice.input), [last.createdAt, last.uid, position])
    return { isDone: true, output: { items, next } }
  }
)

type Row = typeof EventRow.Type

const EventRow = Schema.Struct({
  id: Schema.String,
  uid: Schema.String,
  type: Schema.String,
  severity: Schema.String,
  loaded_at: Schema.String,
  document: Schema.Uint8Array,
  matched_at: Schema.NullOr(Schema.String),
  override: Schema.NullOr(Schema.String),
  tags: Schema.NullOr(Schema.fromJsonString(Schema.Array(Schema.String))),
  notes: Schema.NullOr(Schema.String),
  ignored_at: Schema.NullOr(Schema.String),
  remediated_at: Schema.NullOr(Schema.String)
})

const firstMatch = `(
  SELECT MIN(o.matched_at) FROM identifier_events o CROSS JOIN identifiers i ON i.id = o.identifier_id
  WHERE o.event_id = e.id AND i.tenant_id = ?)`

const eventById = query(
  EventRow,
  `SELECT CAST(e.id AS TEXT) AS id, e.uid, e.type, e.severity, e.loaded_at, e.document,
     coalesce(
       (SELECT m.matched_at FROM identifier_events m WHERE m.identifier_id = ? AND m.event_id = e.id), ${firstMatch}
     ) AS matched_at,
     a.severity AS override, a.tags, a.notes, a.ignored_at, a.remediated_at
   FROM events e LEFT JOIN event_annotations a ON a.tenant_id = ? AND a.uid = e.uid
   WHERE e.id = CAST(? AS INTEGER)`
)

/**
 * `matched_at` is when the event was matched to the identifier or, in a global search, to the first of the tenant's; where
 * it matched none, what the loaded event says, or when it was loaded.
 */
const itemOf = (
  database: OpenDatabase,
  { identifierId, tenantId }: EventListing,
  expression: Expression,
  row: Row
): IdentifierEvent => {
  const stored = decodeStored(database.vault.decrypt(row.document, documentContext(row.uid)))
  const indexed = eventDocument(database.vault, stored)
  const title = titleOf(indexed)
  const { estimated_created_at, matched_at, svc_url } = stored.metadata
  const item: Event = {
    metadata: {
      estimated_created_at,
      matched_at: row.matched_at ?? matched_at ?? row.loaded_at,
      type: shownType(row.type),
      uid: row.uid,
      severity: row.severity,
      ...(svc_url == null ? undefined : { svc_url }),
      ...(title === undefined ? undefined : { title })
    },
    tenant_metadata: {
      severity: { original: row.severity, override: row.override },
      tags: row.tags ?? [],
      notes: row.notes ?? "",
      ...(row.remediated_at === null ? undefined : { remediated_at: row.remediated_at }),
      ...(row.ignored_at === null ? undefined : { ignored_at: row.ignored_at })
    },
    highlights: highlightsOf(expression, indexed)
  }
  return {
    ...item,
    identifiers: identifierId === undefined ? [] : identifiersOf(database, tenantId, row.id)
  }
}

const identifiersOf = ({ connection, vault }: OpenDatabase, tenantId: number, eventId: string) =>
  connection.all(identifiersOfEvent, eventId, tenantId).map((identifier) => {
    const { name, type } = criteriaOf(vault, identifier)
    return { id: identifier.id, name: type === "secret" ? hiddenName : name }
  })

const encodeQuery = Schema.encodeSync(EventQuery)
const decodeStored = Schema.decodeSync(Schema.fromJsonString(StoredEvent))

const identifierOf = query(
  Schema.Struct({ id: Schema.Int, asset: Schema.Uint8Array }),
  "SELECT id, asset FROM identifiers WHERE id = ? AND tenant_id = ?"
)

const identifiersOfEvent = query(
  Schema.Struct({ id: Schema.Int, asset: Schema.Uint8Array }),
  `SELECT i.id, i.asset FROM identifier_events m JOIN identifiers i ON i.id = m.identifier_id
   WHERE m.event_id = CAST(? AS INTEGER) AND i.tenant_id = ? ORDER BY i.id`
)

/** One event in full, as it was loaded, with when it first matched an identifier of the tenant. */
export const eventJob = procedure(
  "events.get",
  (
    { connection, vault },
    { tenantId, uid }: { readonly tenantId: number; readonly uid: string }
  ): StoredEvent | undefined => {
    const row = connection.first(eventByUid, tenantId, uid)
    if (row === undefined) return undefined
    const stored = decodeStored(vault.decrypt(row.document, documentContext(uid)))
    return {
      ...stored,
      metadata: { ...stored.metadata, matched_at: row.matched_at ?? stored.metadata.matched_at ?? null }
    }
  }
)

const eventByUid = query(
  Schema.Struct({ document: Schema.Uint8Array, matched_at: Schema.NullOr(Schema.String) }),
  `SELECT e.document, ${firstMatch} AS matched_at FROM events e WHERE e.uid = ?`
)

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
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { microsecondsOf } from "../sqlite/Microseconds.ts"
import { openCursor, sealCursor } from "../crypto/Cursor.ts"
import type { Vault } from "../crypto/Vault.ts"
import { expressionOf, queryStringFault, typesExpression } from "../matching/EventQueries.ts"
import { shownType, typesFoundAs } from "../matching/EventTypes.ts"
import { decodeCriteria, expressionOfStored } from "../matching/IdentifierPercolator.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { type Parameter, query } from "../sqlite/Connection.ts"
import { type OpenDatabase, procedure } from "../sqlite/Procedure.ts"
import { firstPlace, placeAfter, StoredEvent } from "./EventInserts.ts"
import { and, type Expression, matchAll, or, termExpression } from "../search/Expression.ts"
import { highlightsOf, titleOf } from "../search/Highlights.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { eventDocument } from "./EventDocument.ts"

/** A search in the wire's own words: secrets in clear, for they cross to another thread. Never log it. */
export interface EventListing {
  readonly tenantId: number
  /** Whose events; undefined for the whole data set. */
  readonly identifierId: number | undefined
  readonly query: typeof EventQuery.Encoded | undefined
  /** What the query finds; undefined where there is none. */
  readonly sought: Expression | undefined
  readonly filters: IdentifierEventSearch["filters"] | EventSearch["filters"]
  readonly order: "asc" | "desc"
  readonly size: number
  readonly after: ListingPlace | undefined
}

interface ListingPlace {
  readonly id: string
  /** Items before this place: what decides about the quota of later pages. */
  readonly position: number
}

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

const placeAt = (vault: Vault, listing: Bound, from: string): ListingPlace | undefined => {
  const [id, position] = openCursor(vault, identityOf(listing), from) ?? []
  return typeof id === "string" && typeof position === "number" ? { id, position } : undefined
}

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

/** Undefined where the identifier is not the tenant's. */
export const eventPageJob = procedure("events.page", (database, listing: EventListing): EventPage | undefined => {
  const { connection, vault } = database
  const { after, identifierId, size, sought, tenantId } = listing
  const identifier = identifierId === undefined ? undefined : connection.first(identifierOf, identifierId, tenantId)
  if (identifierId !== undefined && identifier === undefined) return undefined
  const { parameters, sql } = selection(database, listing)
  const rows = connection.all(eventRow(sql), ...parameters, size + 1)
  const page = rows.slice(0, size)
  const last = rows.length > size ? page.at(-1) : undefined
  // Without a query, what matched is what the identifier watches for.
  const shown =
    sought ??
    (identifier === undefined
      ? matchAll
      : expressionOfStored(database, identifier.id, decodeCriteria(vault.unseal(identifier.asset))))
  return {
    items: page.map((row) => itemOf(database, listing, shown, row)),
    next:
      last === undefined
        ? null
        : sealCursor(vault, identityOf(listing), [last.id, (after?.position ?? 0) + page.length])
  }
})

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

const decodeRows = Schema.decodeUnknownSync(Schema.Array(EventRow))
const eventRow = (sql: string) => ({ sql, decode: decodeRows })

/** The statement, and its parameters but for the last one: how many rows. */
const selection = (
  { vault }: OpenDatabase,
  { after, filters = {}, identifierId, order, sought = matchAll, tenantId }: EventListing
): { readonly sql: string; readonly parameters: ReadonlyArray<Parameter> } => {
  const parameters: Array<Parameter> = []
  const conditions: Array<string> = []
  const given = (sql: string, ...values: ReadonlyArray<Parameter>) => {
    conditions.push(sql)
    parameters.push(...values)
  }

  const types = filters.type ?? []
  const wanted = filters.severity === undefined ? severities : severitiesOf(filters.severity)
  // Without an identifier and its own few events, the index finds what is rare sooner than a walk over all events.
  const expression =
    identifierId === undefined
      ? and(
          sought,
          types.length === 0 ? matchAll : typesExpression(types),
          wanted.length === severities.length
            ? matchAll
            : or(...wanted.map((value) => termExpression({ kind: "severity", value })))
        )
      : sought
  const indexed = expression._tag !== "MatchAll"
  const place = indexed ? "event_index.rowid" : identifierId === undefined ? "e.id" : "m.event_id"

  // CROSS JOIN keeps what comes in the order of time outermost: nothing is ever sorted. The planner looks at the value of a
  // bare `LIMIT ?`, so such a statement would be prepared anew each time.
  let source = indexed ? "event_index CROSS JOIN events e ON e.id = event_index.rowid" : "events e"
  if (identifierId !== undefined) {
    source = indexed
      ? "event_index CROSS JOIN identifier_events m ON m.event_id = event_index.rowid CROSS JOIN events e ON e.id = m.event_id"
      : "identifier_events m CROSS JOIN events e ON e.id = m.event_id"
  }
  parameters.push(tenantId, tenantId)
  if (indexed) given("event_index MATCH ?", fullTextQuery(vault, expression))
  if (identifierId !== undefined) given("m.identifier_id = ?", identifierId)
  if (after !== undefined) given(`${place} ${order === "desc" ? "<" : ">"} CAST(? AS INTEGER)`, after.id)

  if (types.length > 0) given("e.type IN (SELECT value FROM json_each(?))", JSON.stringify(typesFoundAs(types)))
  if (filters.severity !== undefined) {
    given("e.severity IN (SELECT value FROM json_each(?))", JSON.stringify(wanted))
  }
  for (const [bound, time] of Object.entries(filters.estimated_created_at ?? {})) {
    const microseconds = time === undefined ? undefined : microsecondsOf(time)
    if (microseconds === undefined) continue
    if (bound === "gt" || bound === "gte") {
      given(`${place} >= ?`, firstPlace(microseconds))
      given(`e.created_at ${bound === "gt" ? ">" : ">="} ?`, microseconds)
    } else {
      given(`${place} < ?`, placeAfter(microseconds))
      given(`e.created_at ${bound === "lt" ? "<" : "<="} ?`, microseconds)
    }
  }
  if ("tags" in filters && filters.tags !== undefined && filters.tags.length > 0) {
    given(
      "NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(coalesce(a.tags, '[]'))))",
      JSON.stringify(filters.tags)
    )
  }
  if ("status" in filters && filters.status !== undefined) {
    given(`${status} IN (SELECT value FROM json_each(?))`, JSON.stringify(filters.status))
  }
  if ("is_ignored" in filters && filters.is_ignored === true) conditions.push(`${status} = 'ignored'`)
  if ("is_remediated" in filters && filters.is_remediated === true) conditions.push(`${status} = 'remediated'`)

  return {
    sql: `
      SELECT CAST(e.id AS TEXT) AS id, e.uid, e.type, e.severity, e.loaded_at, e.document,
        ${identifierId === undefined ? firstMatch : "m.matched_at"} AS matched_at,
        a.severity AS override, a.tags, a.notes, a.ignored_at, a.remediated_at
      FROM ${source} LEFT JOIN event_annotations a ON a.tenant_id = ? AND a.uid = e.uid
      ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
      ORDER BY ${place} ${order} LIMIT ? + 0`,
    parameters: identifierId === undefined ? parameters : parameters.slice(1)
  }
}

const status =
  "CASE WHEN a.remediated_at IS NOT NULL THEN 'remediated' WHEN a.ignored_at IS NOT NULL THEN 'ignored' ELSE 'open' END"

const firstMatch = `(
  SELECT MIN(o.matched_at) FROM identifier_events o CROSS JOIN identifiers i ON i.id = o.identifier_id
  WHERE o.event_id = e.id AND i.tenant_id = ?)`

const severitiesOf = (wanted: Severity | ReadonlyArray<Severity>): ReadonlyArray<Severity> =>
  typeof wanted === "string"
    ? severities.slice(severities.indexOf(wanted))
    : severities.filter((severity) => wanted.includes(severity))

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
  const stored = decodeStored(database.vault.unseal(row.document))
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
  connection.all(identifiersOfEvent, eventId, tenantId).map(({ asset, id }) => {
    const { name, type } = decodeCriteria(vault.unseal(asset))
    return { id, name: type === "secret" ? hiddenName : name }
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
    const stored = decodeStored(vault.unseal(row.document))
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

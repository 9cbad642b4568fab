/** An event in search results, and the requests to search events. See docs/api.md#event. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"
import { readEvent, readEventPage, readIdentifierEvent } from "./schema/EventFields.ts"
import { Cursor, Order, page, pageSize } from "./Page.ts"
import { accelerateEffect } from "./schema/FieldReader.ts"
import { Secret } from "./Secret.ts"
import { LinkField } from "./LinkField.ts"
import { ReportedSeverity, Severity } from "./Severity.ts"
import { DateOrTimestamp } from "./Timestamp.ts"
import { open, orAbsent, orElse, orEmpty, orNone, orNull } from "./schema/Tolerant.ts"
import { integerParameter, nonEmptyText, oneOf, unionByType } from "./schema/RequestField.ts"
import { actionOn, TriageAction } from "./Triage.ts"
import { struct } from "./schema/Struct.ts"

/**
 * The path-like id of an event, usually `<index>/<source>/<id>`; two, five and six segments also occur. As a query
 * parameter, it is percent-encoded because of its slashes.
 */
export const EventUid = Schema.String
export type EventUid = typeof EventUid.Type

/** Event types that a global search can filter by. See docs/api.md#search-events. */
export const globalEventTypes = [
  "illicit_networks",
  "open_web",
  "leak",
  "domain",
  "listing",
  "forum_content",
  "blog_content",
  "blog_post",
  "profile",
  "chat_message",
  "ransomleak",
  "infected_devices",
  "financial_data",
  "bot",
  "stealer_log",
  "paste",
  "social_media",
  "source_code",
  "source_code_files",
  "stack_exchange",
  "google",
  "service",
  "buckets",
  "bucket",
  "bucket_object"
] as const

/**
 * Event types that a search of one identifier's events can filter by. See docs/api.md#search-events-of-an-identifier.
 */
export const identifierEventTypes = [
  "illicit_networks",
  "open_web",
  "leak",
  "domain",
  "listing",
  "forum_content",
  "blog_content",
  "profile",
  "chat_message",
  "ransomleak",
  "infected_devices",
  "financial_data",
  "paste",
  "social_media",
  "source_code",
  "google",
  "service",
  "buckets"
] as const

/**
 * Event types that a search of a tenant's or a group's events is known to accept. The list grows: other types are sent
 * too.
 */
export const tenantEventTypes = [
  ...globalEventTypes,
  "leaked_credential",
  "valid_credential",
  "invalid_credential",
  "mitigated_credential",
  "account",
  "actor",
  "attachment",
  "leaked_data",
  "leaked_file",
  "document",
  "intelligence_object",
  "cookie",
  "pii",
  "whois",
  "ad",
  "ads",
  "ccbin",
  "cc",
  "driller",
  "domains",
  "leaks",
  "social_media_account",
  "source_code_secrets",
  "docker",
  "experimental"
] as const

export type GlobalEventType = (typeof globalEventTypes)[number]
export type IdentifierEventType = (typeof identifierEventTypes)[number]

/** Metadata whose link is in the field {@link LinkField}; it is decoded as `svc_url`. */
export const metadataWithLink = <const Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) => {
  const metadata = Schema.Struct(fields)
  const wire = Schema.StructWithRest(metadata.mapFields(Struct.map(Schema.toEncoded)), [
    Schema.Record(Schema.String, Schema.Unknown)
  ]).annotate({ identifier })
  return wire.pipe(
    Schema.decodeTo(metadata, {
      decode: SchemaGetter.transformEffect((found: { readonly [key: string]: unknown }) =>
        Effect.map(LinkField, (field) =>
          Predicate.isString(found[field]) ? { ...found, svc_url: found[field] } : found
        )
      ).pipe(SchemaGetter.compose(SchemaGetter.passthrough<typeof metadata.Encoded, unknown>({ strict: false }))),
      encode: SchemaGetter.passthrough<typeof wire.Type, typeof metadata.Encoded>({ strict: false })
    })
  )
}

export class EventMetadata extends Schema.Opaque<EventMetadata>()(
  metadataWithLink("EventMetadata", {
    estimated_created_at: orNull(Schema.String, "value"),
    matched_at: orNull(Schema.String),
    type: orElse(open(globalEventTypes), ""),
    uid: orElse(EventUid, ""),
    severity: orElse(ReportedSeverity, ""),
    /** Link to the event in the service's web application. */
    svc_url: orAbsent(Schema.String),
    title: orAbsent(Schema.String),
    /** When the event reached the tenant. Unlike `estimated_created_at`, it gives the order of arrival. */
    materialized_at: orAbsent(Schema.String)
  })
) {}

/** The tenant's own annotations of an event. */
export class TenantMetadata extends struct<TenantMetadata>("TenantMetadata")({
  severity: orNull(
    Schema.Struct({
      original: orNull(ReportedSeverity),
      /** Null unless the tenant overrides the severity. */
      override: orNull(ReportedSeverity)
    })
  ),
  tags: orElse(Schema.Array(Schema.String), []),
  notes: orNull(Schema.String),
  remediated_at: orAbsent(Schema.String),
  ignored_at: orAbsent(Schema.String)
}) {}

/**
 * Matching passages by field name; matching terms are in `<mark>` tags (`<em>` in older records). The other text comes
 * from the leak: it is hostile input, not trusted HTML.
 */
export const Highlights = Schema.Record(Schema.String, orNone(Schema.Array(Schema.String))).annotate({
  identifier: "Highlights"
})
export type Highlights = typeof Highlights.Type

const searched = {
  metadata: orEmpty(EventMetadata),
  tenant_metadata: orEmpty(TenantMetadata),
  highlights: orElse(Highlights, {})
}

export class Event extends struct<Event>("Event")(searched) {}

export const EventPage = accelerateEffect(
  page("EventPage", Event),
  Effect.map(LinkField, (linkField) => readEventPage(readEvent, linkField))
)

export class MatchedIdentifier extends struct<MatchedIdentifier>("MatchedIdentifier")({
  id: orElse(Schema.Int, 0),
  name: orElse(Schema.String, "")
}) {}

/** An event that matches an identifier. */
export class IdentifierEvent extends struct<IdentifierEvent>("IdentifierEvent")({
  ...searched,
  identifiers: orElse(Schema.Array(MatchedIdentifier), [])
}) {}

export const IdentifierEventPage = accelerateEffect(
  page("IdentifierEventPage", IdentifierEvent),
  Effect.map(LinkField, (linkField) => readEventPage(readIdentifierEvent, linkField))
)

export const EventQuery = unionByType("EventQuery", "a query", {
  domain: { fqdn: Schema.String },
  email: { email: Schema.String },
  keyword: { keyword: Schema.String },
  query_string: { query_string: Schema.String },
  username: { username: Schema.String },
  github_repository: { repo_owner: Schema.String, repo_name: Schema.String },
  brand: { name: Schema.String },
  name: { first_name: Schema.String, last_name: Schema.String, is_strict: Schema.optionalKey(Schema.Boolean) },
  bin: { bin: Schema.String },
  ip: { ip: Schema.String },
  credentials: { username: Schema.String, password: Secret },
  secret: { secret: Secret },
  azure_tenant: { tenant_id: Schema.String }
})
export type EventQuery = typeof EventQuery.Type

const timeRange = Schema.Struct({
  gt: Schema.optionalKey(DateOrTimestamp),
  gte: Schema.optionalKey(DateOrTimestamp),
  lt: Schema.optionalKey(DateOrTimestamp),
  lte: Schema.optionalKey(DateOrTimestamp)
})

const filters = {
  severity: Schema.optionalKey(Schema.Union([Severity, Schema.Array(Severity)])),
  estimated_created_at: Schema.optionalKey(timeRange)
}

export class EventFilters extends struct<EventFilters>("EventFilters")({
  ...filters,
  type: Schema.optionalKey(Schema.Array(open(globalEventTypes)))
}) {}

/** The tenant's status of an event. See docs/api.md#search-events-of-an-identifier. */
export const EventStatus = oneOf("EventStatus", ["open", "ignored", "remediated"])
export type EventStatus = typeof EventStatus.Type

const tenantFilters = {
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  status: Schema.optionalKey(Schema.Array(EventStatus)),
  /** @deprecated Use `status`. */
  is_ignored: Schema.optionalKey(Schema.Boolean.annotate({ deprecated: true })),
  /** @deprecated Use `status`. */
  is_remediated: Schema.optionalKey(Schema.Boolean.annotate({ deprecated: true }))
}

export class IdentifierEventFilters extends struct<IdentifierEventFilters>("IdentifierEventFilters")({
  ...filters,
  type: Schema.optionalKey(Schema.Array(open(identifierEventTypes))),
  ...tenantFilters
}) {}

export class TenantEventFilters extends struct<TenantEventFilters>("TenantEventFilters")({
  ...filters,
  type: Schema.optionalKey(Schema.Array(open(tenantEventTypes))),
  ...tenantFilters,
  materialized_at: Schema.optionalKey(timeRange)
}) {}

/** Maximum page size for events. */
export const maxEvents = 10

const search = {
  query: Schema.optionalKey(EventQuery),
  size: Schema.optionalKey(pageSize(maxEvents)),
  from: Schema.optionalKey(Schema.NullOr(Cursor)),
  order: Schema.optionalKey(Order)
}

export class EventSearch extends struct<EventSearch>("EventSearch")({
  ...search,
  filters: Schema.optionalKey(EventFilters)
}) {}

export class IdentifierEventSearch extends struct<IdentifierEventSearch>("IdentifierEventSearch")({
  ...search,
  filters: Schema.optionalKey(IdentifierEventFilters)
}) {}

/**
 * Lists all events of the tenant or of one group. Ignored and remediated events are left out unless a filter asks for
 * them.
 */
export class TenantEventSearch extends struct<TenantEventSearch>("TenantEventSearch")({
  ...search,
  filters: Schema.optionalKey(TenantEventFilters)
}) {}

/** The given types that are not in {@link tenantEventTypes}. */
export const unknownEventTypes = (types: ReadonlyArray<string>): ReadonlyArray<string> =>
  types.filter((type) => !tenantEventTypes.some((known) => known === type))

/** A warning about unknown types in a filter; undefined if there are none. */
export const unknownTypesWarning = (request: unknown): string | undefined => {
  if (!isTypeFilter(request)) return undefined
  const unknown = unknownEventTypes(request.filters.type)
  return unknown.length === 0
    ? undefined
    : `This version does not know the event types ${unknown.map((type) => JSON.stringify(type)).join(", ")}; they are sent as given`
}

const isTypeFilter = Schema.is(Schema.Struct({ filters: Schema.Struct({ type: Schema.Array(Schema.String) }) }))

/** Maximum number of events in one action. */
export const maxEventTargets = 10

export class EventAction extends actionOn<EventAction>("EventAction")(
  { uid: EventUid },
  TriageAction,
  maxEventTargets
) {}

export const maxTags = 50
/** Maximum length of a tag in UTF-16 code units; `maxNotesLength` has the same unit. */
export const maxTagLength = 100
export const maxNotesLength = 10_000

/** An absent field stays unchanged; null removes the annotation. */
export class EventAnnotation extends struct<EventAnnotation>("EventAnnotation")({
  tags: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.String.check(Schema.isMaxLength(maxTagLength))).check(Schema.isMaxLength(maxTags))
    )
  ),
  severity: Schema.optionalKey(Schema.NullOr(Severity)),
  notes: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(maxNotesLength))))
}) {}

/** The tenant's annotations of an event after a change. */
export class AnnotatedEvent extends struct<AnnotatedEvent>("AnnotatedEvent")({
  uid: orElse(EventUid, ""),
  notes: orNull(Schema.String),
  tags: orElse(Schema.Array(Schema.String), []),
  severity: orNull(ReportedSeverity)
}) {}

/** The event types that a service can filter by, with labels. */
export class EventTypeList extends struct<EventTypeList>("EventTypeList")({
  categories: orElse(
    Schema.Array(
      Schema.Struct({
        value: orElse(Schema.String, ""),
        label: orElse(Schema.String, ""),
        types: orElse(
          Schema.Array(Schema.Struct({ value: orElse(Schema.String, ""), label: orElse(Schema.String, "") })),
          []
        )
      })
    ),
    []
  )
}) {}

export class SeverityList extends struct<SeverityList>("SeverityList")({
  severities: orElse(
    Schema.Array(
      Schema.Struct({
        value: orElse(ReportedSeverity, ""),
        label: orElse(Schema.String, ""),
        color: orNull(Schema.String)
      })
    ),
    []
  )
}) {}

/** Lists in a stealer log that can be read beyond their first page. */
export const ExpandableField = oneOf("ExpandableField", ["credentials", "cookies"])
export type ExpandableField = typeof ExpandableField.Type

/** Maximum page size for such a list. */
export const maxExpanded = 20

/** Query parameters for a list in a stealer log. */
export const ExpandQuery = {
  uid: nonEmptyText,
  field: ExpandableField,
  from: Schema.optionalKey(Cursor),
  size: Schema.optionalKey(integerParameter(pageSize(maxExpanded)))
}

export class StealerLogCredential extends struct<StealerLogCredential>("StealerLogCredential")({
  url: orNull(Schema.String),
  username: orNull(Schema.String),
  password: orNull(Secret),
  application: orNull(Schema.String)
}) {}

export class StealerLogCookie extends struct<StealerLogCookie>("StealerLogCookie")({
  host_key: Schema.String,
  path: orNull(Schema.String),
  expires_utc: orNull(Schema.Union([Schema.String, Schema.Finite])),
  name: orNull(Schema.String),
  value: orNull(Secret)
}) {}

/** A page of cookies or of credentials. Only cookies have a `host_key`. */
export const ExpandedPage = page("ExpandedPage", Schema.Union([StealerLogCookie, StealerLogCredential]))

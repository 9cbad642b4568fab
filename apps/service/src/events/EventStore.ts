import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { Order } from "@threat-exposure/core/domain/Page"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { Expression } from "../search/Expression.ts"
import type { EventAnnotation, EventChange } from "./EventAnnotations.ts"

/** Where events are stored. Each engine has a layer of it. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * By time (see {@link isByArrival}), events of one microsecond by uid in UTF-16 code units. Fails if the identifier or the group is not the tenant's. Items are
     * built by `eventItem`, in another thread if the engine has one: it may take milliseconds.
     */
    page(listing: EventListing): Effect.Effect<EventPage, NotFound>
    /** The event, with the time when it first matched an identifier of the tenant. */
    get(tenantId: number, uid: string): Effect.Effect<StoredEvent, NotFound>
    /**
     * Changes the tenant's annotations of all the events, or of none: fails if one does not exist or matches no identifier of
     * the tenant, and names each of these.
     */
    annotate(
      tenantId: number,
      uids: ReadonlyArray<string>,
      change: EventChange
    ): Effect.Effect<ReadonlyArray<EventAnnotation>, NotFound>
  }
>()("@threat-exposure/service/events/EventStore") {}

/** The expression has secrets in clear: never log it. */
export interface EventListing {
  readonly tenantId: number
  readonly matchedTo: MatchedTo
  /** Undefined without a query. */
  readonly expression: Expression | undefined
  /** The id of the key under which the digests in the expression were made. */
  readonly keyId: number
  readonly filters: ListingFilters
  readonly order: Order
  readonly size: number
  /** The sort key of the last item of the previous page. */
  readonly after: EventSortKey | undefined
}

/** The identifier that events match, or any of the tenant's or of a group's; undefined for the whole data set. */
export type MatchedTo = number | "tenant" | { readonly group: number } | undefined

/** Each undefined member selects every event. */
export interface ListingFilters {
  /** Types as stored. */
  readonly types: ReadonlyArray<string> | undefined
  /** The severity of the event for the tenant: an override counts instead of the event's own. */
  readonly severities: ReadonlyArray<Severity> | undefined
  /** Inclusive, in microseconds since 1970. */
  readonly since: number | undefined
  readonly until: number | undefined
  /**
   * When the event reached the tenant, which lists it because it matches one of its identifiers: inclusive, in microseconds
   * since 1970. With a bound, the listing goes by that time.
   */
  readonly arrivedSince: number | undefined
  readonly arrivedUntil: number | undefined
  /** All of them. */
  readonly tags: ReadonlyArray<string> | undefined
  readonly statuses: ReadonlyArray<EventStatus> | undefined
}

/** Whether the listing goes by when events reached the tenant, and not by when they were created. */
export const isByArrival = ({ filters: { arrivedSince, arrivedUntil } }: Pick<EventListing, "filters">): boolean =>
  arrivedSince !== undefined || arrivedUntil !== undefined

export interface EventSortKey {
  /** The time that the listing goes by, in microseconds since 1970. */
  readonly at: number
  readonly uid: string
}

export interface EventPage {
  /** The list of items as JSON: a text passes from thread to thread for a fraction of the cost of objects. */
  readonly items: string
  readonly count: number
  /** The sort key of the last item, if there is a next page. */
  readonly last: EventSortKey | undefined
}

/** A typed event (docs/api.md#typed-events) as it is stored, with its unknown fields. */
export const StoredEvent = Schema.Struct({
  event_type: Schema.NonEmptyString,
  metadata: Schema.StructWithRest(
    Schema.Struct({
      uid: Schema.NonEmptyString,
      severity: Schema.String,
      estimated_created_at: Schema.String,
      matched_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
      svc_url: Schema.optionalKey(Schema.NullOr(Schema.String))
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  ),
  data: Schema.Unknown
})
export interface StoredEvent extends Schema.Schema.Type<typeof StoredEvent> {}

/** Both engines compare texts by code point. The text is in the order of the uid's code units. Null if the uid itself is. */
export const uidForOrder = (uid: string): string | null => {
  const ordered = uid.replaceAll(aboveSurrogates, "\u{10FFFF}$&")
  return ordered === uid ? null : ordered
}

const aboveSurrogates = /[\uE000-\uFFFF]/gu

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { Order } from "@threat-exposure/core/domain/Page"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { Expression } from "../search/Expression.ts"
import type { EventAnnotation, EventChange } from "./EventAnnotations.ts"

export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * A page in the order of time (see {@link isByArrival}), and for equal times in the order of the uid's UTF-16 code
     * units. Fails if the tenant has no such identifier or group. Items are built by `eventItem`, in another thread if
     * the engine has one, because it may take milliseconds.
     */
    page(listing: EventListing): Effect.Effect<EventPage, NotFound>
    /** An event that matches an identifier of the tenant, with the time of the first match. */
    get(tenantId: number, uid: string): Effect.Effect<StoredEvent, NotFound>
    /** Changes all of the events or none. Fails with the uids that match no identifier of the tenant. */
    annotate(
      tenantId: number,
      uids: ReadonlyArray<string>,
      change: EventChange
    ): Effect.Effect<ReadonlyArray<EventAnnotation>, NotFound>
  }
>()("@threat-exposure/service/events/EventStore") {}

/** Secrets in the expression are in clear: never log it. */
export interface EventListing {
  readonly tenantId: number
  readonly matchedTo: MatchedTo
  readonly expression: Expression | undefined
  /** The id of the key with which the digests in the expression were made. */
  readonly keyId: number
  readonly filters: ListingFilters
  readonly order: Order
  readonly size: number
  /** The sort key of the last item of the previous page; undefined for the first page. */
  readonly after: EventSortKey | undefined
}

/** `tenant` means any identifier of the tenant, `group` any of the group, undefined the whole data set. */
export type MatchedTo = number | "tenant" | { readonly group: number } | undefined

/** An absent member does not restrict the listing. */
export interface ListingFilters {
  /** Types as stored. */
  readonly types?: ReadonlyArray<string> | undefined
  /** The severities for the tenant: an override replaces the event's own severity. */
  readonly severities?: ReadonlyArray<Severity> | undefined
  /** Inclusive, in microseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /**
   * When the event reached the tenant: inclusive, in microseconds since 1970. One of these bounds changes the order.
   */
  readonly arrivedSince?: number | undefined
  readonly arrivedUntil?: number | undefined
  /** An event must have all of these tags. */
  readonly tags?: ReadonlyArray<string> | undefined
  readonly statuses?: ReadonlyArray<EventStatus> | undefined
}

/** Whether the listing is in the order in which events reached the tenant, and not by their creation. */
export const isByArrival = ({ filters: { arrivedSince, arrivedUntil } }: Pick<EventListing, "filters">): boolean =>
  arrivedSince !== undefined || arrivedUntil !== undefined

export interface EventSortKey {
  /** The time by which the listing is ordered, in microseconds since 1970. */
  readonly at: number
  readonly uid: string
}

export interface EventPage {
  /** A JSON array of the items: a string is sent between threads for a fraction of the cost of objects. */
  readonly items: string
  readonly count: number
  /** The sort key of the last item; undefined if there is no next page. */
  readonly last: EventSortKey | undefined
}

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

/** A string whose order by code point is that of the uid by UTF-16 code unit; null if that is the uid itself. */
export const uidForOrder = (uid: string): string | null => {
  const ordered = uid.replaceAll(aboveSurrogates, "\u{10FFFF}$&")
  return ordered === uid ? null : ordered
}

const aboveSurrogates = /[\uE000-\uFFFF]/gu

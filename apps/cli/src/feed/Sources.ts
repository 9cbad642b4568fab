/** The sources of a feed. Each source is one listing, oldest first, from a lower bound on time. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { type ApiError, isNotServed } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { maxTenantCredentials } from "@threat-exposure/core/domain/Credential"
import { Events } from "@threat-exposure/core/client/Events"
import {
  type EventFilters,
  type EventSearch,
  EventStatus,
  maxEvents,
  type TenantEventSearch
} from "@threat-exposure/core/domain/Event"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { toSortable } from "@threat-exposure/core/domain/Timestamp"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import { readablePages } from "@threat-exposure/leak-check/search/ReadablePages"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { say, type Saying } from "../output/Output.ts"
import { type EventRequest, receivedPages, type TenantEventRequest } from "../request/EventRequest.ts"
import { makeSearchMeter, resultsPerSearch, type SearchesStopped, type SearchLimits } from "../request/SearchLimits.ts"
import { type Found, foundCredential, foundEvent } from "./Found.ts"

export interface SourcePage {
  readonly found: ReadonlyArray<Found>
  /** Events without a uid, which cannot be identified. */
  readonly withoutUid: ReadonlyArray<unknown>
  /** Number of items that the client cannot decode. */
  readonly undecoded: number
  readonly next: string | null
}

export interface Source {
  /** Key of the source in the state. */
  readonly name: string
  readonly pages: (since: string, from: string | null) => Stream.Stream<SourcePage, ApiError | SearchesStopped>
  /** Whether reading it costs quota. */
  readonly costsQuota: boolean
  /**
   * Whether the listing and its bound are in order of arrival. Later arrivals then come after the last event or have
   * the same time, so no overlap is read again.
   */
  readonly byArrival?: boolean
  /**
   * Whether the listing includes ignored and remediated events. Such an event is passed on only if it was passed on
   * before.
   */
  readonly listsSettled?: boolean
}

export interface FeedQuery {
  readonly identifiers: ReadonlyArray<number>
  /** Id of a group of identifiers. */
  readonly group?: number
  readonly query: string | undefined
  readonly severity: ReadonlyArray<Severity>
  readonly types: ReadonlyArray<string>
  /** Domains whose new credentials are passed on as well. */
  readonly credentialDomains: ReadonlyArray<string>
  /** Whether new credentials of all the tenant's identifiers are passed on. */
  readonly tenantCredentials?: boolean
  /** Whether to detect changes, by reading the overlap of all listings including ignored and remediated events. */
  readonly changes?: boolean
}

/**
 * Sources for events (of each identifier, of the query, of the group or of the tenant), then for credentials (of each
 * domain or of the tenant).
 */
export const sourcesOf = Effect.fnUntraced(function* (feed: FeedQuery, limits: SearchLimits) {
  const { quota } = yield* ApiClient
  const events = yield* Events
  const credentials = yield* Credentials

  const meter = makeSearchMeter({ ...limits, quota })
  const limited = (pages: Stream.Stream<SourcePage, ApiError>, pageSize: number) =>
    meter.limit(pages, {
      pageSize,
      countOf: ({ found, undecoded, withoutUid }) => found.length + undecoded + withoutUid.length
    })

  const selected = {
    ...(feed.severity.length === 0
      ? {}
      : { severity: feed.severity.length === 1 ? (feed.severity[0] ?? "low") : feed.severity }),
    ...(feed.types.length === 0 ? {} : { type: feed.types })
  }

  const readEvents = (
    request: EventRequest | TenantEventRequest,
    from: string | null
  ): Stream.Stream<SourcePage, ApiError> =>
    Stream.map(receivedPages(events, request, from), ({ items, next }) => {
      const read = items.map((item) => ({ item, found: foundEvent(item) }))
      return {
        found: read.flatMap(({ found }) => (found === undefined ? [] : [found])),
        withoutUid: read.flatMap(({ found, item }) => (found === undefined ? [item] : [])),
        undecoded: 0,
        next
      }
    })

  const ofIdentifiers = feed.identifiers.map((identifierId): Source => ({
    name: `identifier ${identifierId}`,
    costsQuota: false,
    pages: (since, from) =>
      readEvents(
        {
          _tag: "OfIdentifier",
          identifierId,
          search: {
            order: "asc",
            filters: { ...selected, estimated_created_at: { gte: since } }
          }
        },
        from
      )
  }))

  const search = (since: string): EventSearch => {
    const filters: EventFilters = { ...selected, estimated_created_at: { gte: since } }
    return feed.query === undefined
      ? { order: "asc", filters }
      : { order: "asc", filters, query: { type: "query_string", query_string: feed.query } }
  }

  const global: Source = {
    name: "events",
    costsQuota: true,
    pages: (since, from) => limited(readEvents({ _tag: "Global", search: search(since) }, from), maxEvents)
  }

  const { group } = feed
  const tenantRequest = (search: TenantEventSearch): TenantEventRequest =>
    group === undefined ? { _tag: "OfTenant", search } : { _tag: "OfGroup", groupId: group, search }
  const tenantName = group === undefined ? "events of the tenant" : `events of group ${group}`
  const tenantSource = (byArrival: boolean, name = tenantName): Source => ({
    name,
    costsQuota: false,
    byArrival,
    listsSettled: feed.changes === true,
    pages: (since, from) =>
      readEvents(
        tenantRequest({
          order: "asc",
          filters: {
            ...selected,
            ...(feed.changes === true ? { status: EventStatus.literals } : {}),
            [byArrival ? "materialized_at" : "estimated_created_at"]: { gte: since }
          }
        }),
        from
      )
  })
  /** The first item of a listing, or the failure. */
  const firstOf = (search: TenantEventSearch) =>
    Effect.result(Stream.runHead(receivedPages(events, tenantRequest({ ...search, size: 1 }), null)))

  /** Undefined while the service has not told what it lists: after another failure, and without an event. */
  let decided: ReadonlyArray<Source> | undefined
  const decide = (...sources: ReadonlyArray<Source>) => {
    decided = sources
    return sources
  }

  const ofTenant = Effect.gen(function* () {
    if (decided !== undefined) return decided
    const unread = (failure: ApiError) => [{ ...tenantSource(false), pages: () => Stream.fail(failure) }]
    const afterAll = yield* firstOf({ filters: { materialized_at: { gt: "2100-01-01T00:00:00Z" } } })
    if (Result.isFailure(afterAll)) {
      const failure = afterAll.failure
      const isLacking = isNotServed(failure)
      const isRefused = failure._tag === "ValidationFailed" || failure._tag === "V2Failure"
      if (!isLacking && !isRefused) return unread(failure)
      if (isRefused || group !== undefined) return decide(tenantSource(false))
      yield* say(
        `The service does not list the events of the tenant (${failureText(failure)}): the whole data set is searched instead, which costs one search per ${resultsPerSearch} events`
      )
      return decide(global)
    }
    // A service that does not support the filter may ignore it: also check that events have a time of arrival.
    const first = yield* firstOf({ order: "desc" })
    if (Result.isFailure(first)) return unread(first.failure)
    const [event] = itemsOf(first.success)
    if (event === undefined) return [tenantSource(false)]
    const isOrdered = itemsOf(afterAll.success).length === 0 && foundEvent(event)?.arrived !== undefined
    // An event may be older than the overlap when it reaches the tenant, and may change later.
    return isOrdered && feed.changes === true
      ? decide(tenantSource(true), tenantSource(false, `changes of the ${tenantName}`))
      : decide(tenantSource(isOrdered))
  })

  const ofTenantCredentials: Source = {
    name: "credentials of the tenant",
    costsQuota: false,
    // Newest first until the bound, because this listing has no filter.
    pages: (since, from) => {
      const bound = toSortable(since)
      return readablePages(
        credentials.pagesOfTenant({ size: maxTenantCredentials, ...(from === null ? {} : { from }) })
      ).pipe(
        Stream.map(({ items, next, unreadable }): SourcePage => {
          // A credential may lack its time; this does not end the listing.
          const found = items.filter(({ imported_at }) => imported_at === "" || toSortable(imported_at) >= bound)
          return {
            found: found.map(foundCredential),
            withoutUid: [],
            undecoded: unreadable,
            next: found.length < items.length ? null : next
          }
        }),
        Stream.takeUntil(({ next }) => next === null)
      )
    }
  }

  const ofDomains = feed.credentialDomains.map((fqdn): Source => ({
    name: `credentials of ${fqdn}`,
    costsQuota: true,
    pages: (since, from) =>
      limited(
        Stream.map(
          readablePages(
            credentials.pages({
              query: { type: "domain", fqdn },
              filters: { imported_at: { gte: since } },
              order: "asc",
              size: resultsPerSearch,
              from
            })
          ),
          ({ items, next, unreadable }): SourcePage => ({
            found: items.map(foundCredential),
            withoutUid: [],
            undecoded: unreadable,
            next
          })
        ),
        resultsPerSearch
      )
  }))

  const listed = feed.query !== undefined ? [global] : feed.identifiers.length > 0 ? ofIdentifiers : undefined
  /** The sources of a round. */
  const sources = Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<Source>, never, Saying> {
    return [
      ...(listed ?? (yield* ofTenant)),
      ...ofDomains,
      ...(feed.tenantCredentials === true ? [ofTenantCredentials] : [])
    ]
  })
  return { sources, meter }
})

const itemsOf = (page: Option.Option<{ readonly items: ReadonlyArray<unknown> }>): ReadonlyArray<unknown> =>
  Option.match(page, { onNone: () => [], onSome: ({ items }) => items })

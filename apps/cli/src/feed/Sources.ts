/** What a feed reads: each source is one listing, oldest first from a bound on time. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import {
  type EventFilters,
  type EventSearch,
  type GlobalEventType,
  type IdentifierEventType,
  maxEvents
} from "@threat-exposure/core/domain/Event"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { readablePages } from "@threat-exposure/leak-check/search/ReadablePages"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type EventRequest, receivedPages } from "../request/EventRequest.ts"
import { makeSearchMeter, resultsPerSearch, type SearchesStopped, type SearchLimits } from "../request/SearchLimits.ts"
import { type Found, foundCredential, foundEvent } from "./FeedItem.ts"

export interface SourcePage {
  readonly found: ReadonlyArray<Found>
  /** Events that cannot be distinguished from others. */
  readonly withoutUid: ReadonlyArray<unknown>
  /** How many items the client cannot read. */
  readonly undecoded: number
  readonly next: string | null
}

export interface Source {
  /** Names its position in the state. */
  readonly name: string
  readonly pages: (since: string, from: string | null) => Stream.Stream<SourcePage, ApiError | SearchesStopped>
  /** Whether reading it costs quota. */
  readonly costsQuota: boolean
}

export interface FeedQuery {
  readonly identifiers: ReadonlyArray<number>
  readonly query: string | undefined
  readonly severity: ReadonlyArray<Severity>
  readonly types: ReadonlyArray<GlobalEventType>
  readonly identifierTypes: ReadonlyArray<IdentifierEventType>
  /** Whose new credentials are fed as well. */
  readonly credentialDomains: ReadonlyArray<string>
}

/** Events of each identifier, or of the query, or all that the tenant can see; then credentials of each domain. */
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

  const severity =
    feed.severity.length === 0
      ? {}
      : { severity: feed.severity.length === 1 ? (feed.severity[0] ?? "low") : feed.severity }

  const readEvents = (request: EventRequest, from: string | null): Stream.Stream<SourcePage, ApiError> =>
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
            filters: {
              ...severity,
              ...(feed.identifierTypes.length === 0 ? {} : { type: feed.identifierTypes }),
              estimated_created_at: { gte: since }
            }
          }
        },
        from
      )
  }))

  const search = (since: string): EventSearch => {
    const filters: EventFilters = {
      ...severity,
      ...(feed.types.length === 0 ? {} : { type: feed.types }),
      estimated_created_at: { gte: since }
    }
    return feed.query === undefined
      ? { order: "asc", filters }
      : { order: "asc", filters, query: { type: "query_string", query_string: feed.query } }
  }

  const global: ReadonlyArray<Source> =
    feed.identifiers.length > 0 && feed.query === undefined
      ? []
      : [
          {
            name: "events",
            costsQuota: true,
            pages: (since, from) => limited(readEvents({ _tag: "Global", search: search(since) }, from), maxEvents)
          }
        ]

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

  return { sources: [...ofIdentifiers, ...global, ...ofDomains], meter }
})

/** Events: what was found, and where. See docs/api.md#search-events. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { events as endpoints } from "../api/Endpoints.ts"
import type { Event, EventSearch, EventUid, IdentifierEvent, IdentifierEventSearch } from "../domain/Event.ts"
import type { Page } from "../domain/Page.ts"
import type { TypedEvent } from "../domain/TypedEvent.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { itemsOf, listing, pagesOf } from "../transport/Listing.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const search = operation(endpoints.search)
const ofIdentifier = operation(endpoints.ofIdentifier)
const get = operation(endpoints.get)

/** A page has at most 10 events. Text in an event comes from a leak: treat it as hostile input. */
export class Events extends Context.Service<
  Events,
  {
    /** Searches the whole data set, by `estimated_created_at`. Costs search quota. See docs/api.md#search-events. */
    readonly search: (request?: RequestInput<EventSearch>) => Stream.Stream<Event, ApiError>
    /** The same, page by page, for callers who stop and resume with `from`. */
    readonly pages: (request?: RequestInput<EventSearch>) => Stream.Stream<Page<Event>, ApiError>
    /** The events that were matched to one identifier; costs no quota. See docs/api.md#search-events-of-an-identifier. */
    readonly ofIdentifier: (
      identifierId: number,
      request?: RequestInput<IdentifierEventSearch>
    ) => Stream.Stream<IdentifierEvent, ApiError>
    /** The same, page by page, for callers who stop and resume with `from`. */
    readonly pagesOfIdentifier: (
      identifierId: number,
      request?: RequestInput<IdentifierEventSearch>
    ) => Stream.Stream<Page<IdentifierEvent>, ApiError>
    /**
     * One event in full, with the data of its type; `uid` is the one in an event's metadata. See docs/api.md#retrieve-an-event.
     *
     * @beta
     */
    readonly get: (uid: EventUid) => Effect.Effect<TypedEvent, ApiError>
  }
>()("@threat-exposure/core/client/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.map(ApiClient, ({ transport }) => {
      const found = (request?: RequestInput<EventSearch>) =>
        Effect.sync(() => listing(transport, search, request ?? {}, (payload) => ({ payload })))
      const matched = (identifierId: number, request?: RequestInput<IdentifierEventSearch>) =>
        Effect.sync(() =>
          listing(transport, ofIdentifier, request ?? {}, (payload) => ({
            params: { identifier_id: identifierId },
            payload
          }))
        )
      return Events.of({
        search: (request) => itemsOf(found(request)),
        pages: (request) => pagesOf(found(request)),
        ofIdentifier: (identifierId, request) => itemsOf(matched(identifierId, request)),
        pagesOfIdentifier: (identifierId, request) => pagesOf(matched(identifierId, request)),
        get: (uid) => invoke(transport, get, { query: { uid } })
      })
    })
  )
}

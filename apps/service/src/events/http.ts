import { Api } from "@threat-exposure/core/api/Api"
import { Caller } from "@threat-exposure/core/api/Access"
import type { EventSearch, IdentifierEventSearch } from "@threat-exposure/core/domain/Event"
import { NotFound, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { addHeaders, limitHeaders, quotaHeaders } from "../limits/http.ts"
import { Quota } from "../limits/Quota.ts"
import { Database } from "../sqlite/Database.ts"
import { Settings } from "../Settings.ts"
import { searchInSlices } from "../sqlite/SlicedSearch.ts"
import { eventJob, eventListing, eventPageJob } from "./EventPages.ts"
import type { EventListing } from "./EventSelection.ts"

/** See docs/api.md#search-events. */
export const EventHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const database = yield* Database
    const quota = yield* Quota
    const { searchTimeLimit } = yield* Settings

    const listingOf = Effect.fnUntraced(function* (
      identifierId: number | undefined,
      search: EventSearch | IdentifierEventSearch
    ) {
      const listing = eventListing(database.vault, yield* Caller, identifierId, search)
      return yield* Effect.mapError(Effect.fromResult(listing), (detail) => new ValidationFailed({ detail }))
    })

    const pageOf = (listing: EventListing) => searchInSlices(database, eventPageJob, listing, searchTimeLimit)

    return handlers.handleAll({
      search: Effect.fnUntraced(
        function* ({ payload }) {
          const listing = yield* listingOf(undefined, payload)
          // The same search filtered further is the same search.
          const name = `events ${database.vault.blindIndex64("events.search", JSON.stringify(listing.query ?? null))}`
          const { left, page } = yield* quota.charge(
            { tenantId: listing.tenantId, search: name, position: listing.after?.position ?? 0 },
            pageOf(listing).pipe(
              Effect.flatMap(Effect.fromNullishOr),
              Effect.orDie,
              Effect.map((page) => ({ ...page, count: page.items.length, last: page.next ?? undefined }))
            )
          )
          yield* addHeaders(quotaHeaders(left))
          return { items: page.items, next: page.next }
        },
        Effect.tapErrorTag("RateLimited", (failure) => addHeaders(limitHeaders(failure)))
      ),
      ofIdentifier: Effect.fnUntraced(function* ({ params, payload }) {
        const listing = yield* listingOf(params.identifier_id, payload)
        return (yield* pageOf(listing)) ?? (yield* new NotFound())
      }),
      get: Effect.fnUntraced(function* ({ query }) {
        const { tenantId } = yield* Caller
        const event = yield* database.read(eventJob, { tenantId, uid: query.uid })
        return event === undefined ? yield* new NotFound() : yield* Effect.orDie(decodeEvent(event))
      })
    })
  })
)

const decodeEvent = Schema.decodeUnknownEffect(TypedEvent)

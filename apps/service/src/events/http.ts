import { Api } from "@threat-exposure/core/api/Api"
import { Caller } from "@threat-exposure/core/api/Access"
import { EventQuery, type EventSearch, type IdentifierEventSearch } from "@threat-exposure/core/domain/Event"
import { NotFound, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { Database } from "../sql/Database.ts"
import { eventJob, eventListing, eventPageJob } from "./EventPages.ts"

/** SPEC 4.2, 4.3, 4.14. */
export const EventHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    const page = Effect.fnUntraced(function* (
      identifierId: number | undefined,
      search: EventSearch | IdentifierEventSearch
    ) {
      const caller = yield* Caller
      const result = yield* database.read(eventPageJob, eventListing(caller, identifierId, search, encodeQuery))
      switch (result._tag) {
        case "Page": {
          return { items: result.items, next: result.next }
        }
        case "IdentifierMissing": {
          return yield* new NotFound()
        }
        case "CursorInvalid": {
          return yield* new ValidationFailed({ detail: [invalidCursor("body")] })
        }
        case "QueryInvalid": {
          const { position, reason } = result
          return yield* new ValidationFailed({
            detail: [{ loc: ["body", "query", "query_string"], msg: reason, type: "query_string", ctx: { position } }]
          })
        }
      }
    })

    return handlers.handleAll({
      search: ({ payload }) => page(undefined, payload).pipe(Effect.catchTag("NotFound", Effect.die)),
      ofIdentifier: ({ params, payload }) => page(params.identifier_id, payload),
      get: Effect.fnUntraced(function* ({ query }) {
        const { tenantId } = yield* Caller
        const event = yield* database.read(eventJob, { tenantId, uid: query.uid })
        return event === undefined ? yield* new NotFound() : yield* Effect.orDie(decodeEvent(event))
      })
    })
  })
)

const encodeQuery = Schema.encodeSync(EventQuery)
const decodeEvent = Schema.decodeUnknownEffect(TypedEvent)

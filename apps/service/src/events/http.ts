import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { addHeaders, limitHeaders, quotaHeaders } from "../limits/http.ts"
import { expressionOf } from "../matching/EventQueries.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"
import type { BlindIndex } from "../search/Term.ts"
import { Events, type SearchInvalid } from "./Events.ts"

export const EventHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* Events
    return handlers.handleAll({
      search: Effect.fnUntraced(
        function* ({ payload }) {
          const { tenantId } = yield* Caller
          const { page, quota } = yield* events.search(tenantId, payload)
          yield* addHeaders(quotaHeaders(quota))
          return page
        },
        Effect.catchTag("SearchInvalid", refuseSearch),
        Effect.tapErrorTag("RateLimited", (failure) => addHeaders(limitHeaders(failure)))
      ),
      ofIdentifier: Effect.fnUntraced(
        function* ({ params, payload }) {
          const { tenantId } = yield* Caller
          return yield* events.ofIdentifier(tenantId, params.identifier_id, payload)
        },
        Effect.catchTag("SearchInvalid", refuseSearch)
      ),
      get: Effect.fnUntraced(function* ({ query }) {
        const { tenantId } = yield* Caller
        return yield* events.get(tenantId, query.uid)
      })
    })
  })
)

const refuseSearch = ({ reasons }: SearchInvalid) =>
  Effect.fail(
    new ValidationFailed({
      detail: reasons.map((reason) =>
        reason._tag === "CursorInvalid" ? invalidCursor("body") : queryStringFault(reason)
      )
    })
  )

/** The fault of a body's `query_string`, which is reported beside the faults of its shape. */
export const queryStringFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  hasQueryString(body)
    ? Result.match(expressionOf(blindIndex, body.query), {
        onSuccess: () => [],
        onFailure: (invalid) => [queryStringFault(invalid)]
      })
    : []

const queryStringFault = ({ position, reason }: QueryStringInvalid): ValidationFault => ({
  loc: ["body", "query", "query_string"],
  msg: reason,
  type: "query_string",
  ctx: { position }
})

const hasQueryString = Schema.is(
  Schema.Struct({ query: Schema.Struct({ type: Schema.Literal("query_string"), query_string: Schema.String }) })
)

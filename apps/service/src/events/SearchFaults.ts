import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { expressionOf } from "../matching/EventQueries.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"
import type { BlindIndex } from "../search/Term.ts"
import type { SearchInvalid } from "./Events.ts"

/** The 422 for a search that is invalid beyond its shape. */
export const refuseSearch = ({ reasons }: SearchInvalid) =>
  Effect.fail(
    new ValidationFailed({
      detail: reasons.map((reason) => {
        if (reason._tag === "CursorInvalid") return invalidCursor("body")
        if (reason._tag === "QueryStringInvalid") return queryStringFault(reason)
        return { loc: ["body", "filters", ...reason.path], msg: reason.message, type: "value_error" }
      })
    })
  )

/** The faults of a body's query that no schema sees, which are reported beside the faults of its shape. */
export const queryStringFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  hasQueryString(body)
    ? Result.match(expressionOf(blindIndex, body.query), {
        onSuccess: () => [],
        onFailure: (invalid) => [queryStringFault(invalid)]
      })
    : []

const queryStringFault = ({ field = "query_string", position, reason }: QueryStringInvalid): ValidationFault => ({
  loc: ["body", "query", field],
  msg: reason,
  type: field === "query_string" ? field : "string_too_long",
  ctx: { position }
})

const hasQueryString = Schema.is(
  Schema.Struct({ query: Schema.Struct({ type: Schema.Literal("query_string"), query_string: Schema.String }) })
)

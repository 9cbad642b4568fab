import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Endpoint, events } from "@threat-exposure/core/api/Endpoints"
import { EventQuery } from "@threat-exposure/core/domain/Event"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { expressionOf } from "../matching/EventQueries.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"
import type { BlindIndex } from "../search/Term.ts"
import { type FilterInvalid, invalidFilters, type SearchInvalid } from "./Events.ts"

/** The 422 for a search that is invalid beyond its shape. */
export const refuseSearch = ({ reasons }: SearchInvalid) =>
  Effect.fail(
    new ValidationFailed({
      detail: reasons.map((reason) => {
        if (reason._tag === "CursorInvalid") return invalidCursor("body")
        if (reason._tag === "QueryStringInvalid") return queryStringFault(reason)
        return filterFault(reason)
      })
    })
  )

/** The faults of a search that no schema sees, which are reported beside the faults of its shape. */
export const searchFaults = (
  blindIndex: BlindIndex,
  { operation }: Pick<Endpoint, "operation">,
  body: unknown
): ReadonlyArray<ValidationFault> => [
  ...(hasQuery(body)
    ? Result.match(expressionOf(blindIndex, body.query), {
        onSuccess: () => [],
        onFailure: (invalid) => [queryStringFault(invalid)]
      })
    : []),
  ...(filtersAnyType.has(operation) && hasTypes(body) ? invalidFilters(body.filters).map(filterFault) : [])
]

/** The types that these operations take are not in their schema. */
const filtersAnyType: ReadonlySet<string> = new Set([events.ofTenant.operation, events.ofGroup.operation])

const filterFault = ({ message, path }: FilterInvalid): ValidationFault => ({
  loc: ["body", "filters", ...path],
  msg: message,
  type: "value_error"
})

const queryStringFault = ({ field = "query_string", position, reason }: QueryStringInvalid): ValidationFault => ({
  loc: ["body", "query", field],
  msg: reason,
  type: field === "query_string" ? field : "string_too_long",
  ctx: { position }
})

const hasQuery = Schema.is(Schema.Struct({ query: Schema.toEncoded(EventQuery) }))

const hasTypes = Schema.is(Schema.Struct({ filters: Schema.Struct({ type: Schema.Array(Schema.String) }) }))

import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { queryFaults } from "../matching/EventQueries.ts"
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

/** The faults of a search that no schema sees. */
export const searchFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  Predicate.isObject(body) ? queryFaults(blindIndex, body["query"]).map(queryStringFault) : []

/** Likewise, of a search that may filter by any type: the types that exist are not in its schema. */
export const tenantSearchFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> => [
  ...searchFaults(blindIndex, body),
  ...(hasTypes(body) ? invalidFilters(body.filters).map(filterFault) : [])
]

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

const hasTypes = Schema.is(Schema.Struct({ filters: Schema.Struct({ type: Schema.Array(Schema.Unknown) }) }))

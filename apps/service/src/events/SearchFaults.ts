/** The faults of a search that its schema does not see. The rest of the body may be invalid. */
import { tenantEventTypes } from "@threat-exposure/core/domain/Event"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { queryFault, queryFaults } from "../matching/EventQueries.ts"
import type { BlindIndex } from "../search/Term.ts"

export const searchFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  Predicate.isObject(body)
    ? queryFaults(blindIndex, body["query"]).map((invalid) =>
        queryFault(invalid, ["body", "query", invalid.field ?? "query_string"])
      )
    : []

/** Also those of the types to filter by: the schema allows any type, because a client may send one that it does not know. */
export const tenantSearchFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> => [
  ...searchFaults(blindIndex, body),
  ...(hasTypes(body) ? body.filters.type : []).flatMap((type, at) =>
    isUnknownType(type)
      ? [
          {
            loc: ["body", "filters", "type", at],
            msg: "Input should be a type of events that this service knows",
            type: "value_error"
          }
        ]
      : []
  )
]

export const hasUnknownType = (types: ReadonlyArray<string> | undefined): boolean => types?.some(isUnknownType) === true

const isUnknownType = (type: unknown): boolean =>
  Predicate.isString(type) && !tenantEventTypes.some((known) => known === type)

const hasTypes = Schema.is(Schema.Struct({ filters: Schema.Struct({ type: Schema.Array(Schema.Unknown) }) }))

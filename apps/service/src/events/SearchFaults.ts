/** Faults of a search that its schema does not detect. The rest of the body may be invalid. */
import { globalEventTypes, identifierEventTypes, tenantEventTypes } from "@threat-exposure/core/domain/Event"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { queryFault, queryFaults } from "../matching/EventQueries.ts"
import { oneOf } from "../requests/ValidationFaults.ts"
import type { BlindIndex } from "../search/Term.ts"

/** The schemas accept any type, because a client may send one that it does not know. */
const searchedTypes = { global: globalEventTypes, identifier: identifierEventTypes, tenant: tenantEventTypes }

export type SearchedTypes = keyof typeof searchedTypes

export const searchFaults = (
  blindIndex: BlindIndex,
  body: unknown,
  searched: SearchedTypes
): ReadonlyArray<ValidationFault> =>
  Predicate.isObject(body)
    ? [
        ...queryFaults(blindIndex, body["query"]).map((invalid) =>
          queryFault(invalid, ["body", "query", invalid.field ?? "query_string"])
        ),
        ...(hasTypes(body) ? body.filters.type : []).flatMap((type, at) =>
          Predicate.isString(type) && isUnknownType(type, searched)
            ? [{ loc: ["body", "filters", "type", at], ...oneOf(searchedTypes[searched]) }]
            : []
        )
      ]
    : []

export const isUnknownType = (type: string, searched: SearchedTypes): boolean =>
  !searchedTypes[searched].some((known) => known === type)

const hasTypes = Schema.is(Schema.Struct({ filters: Schema.Struct({ type: Schema.Array(Schema.Unknown) }) }))

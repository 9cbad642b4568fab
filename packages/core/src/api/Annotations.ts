/** How the HTTP API and its document hold what the contract says of an endpoint. */
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Endpoint } from "./Endpoints.ts"

class Contract extends Context.Service<Contract, Endpoint>()("@threat-exposure/core/api/Annotations/Contract") {}

/** For an endpoint of the HTTP API, made from this one of the contract. */
export const annotationsOf = (endpoint: Endpoint): Context.Context<Contract> => {
  const { description, isBeta, isDeprecated, operation, permission, summary } = endpoint
  const stability = isBeta === undefined ? "" : " Beta: may change without notice."
  return Context.merge(
    Context.make(Contract, endpoint),
    OpenApi.annotations({
      identifier: operation,
      summary,
      description: `${description}${stability} Permission: ${permission}.`,
      deprecated: isDeprecated,
      override: {
        "x-permission": permission,
        ...(isBeta === undefined ? undefined : { "x-beta": true })
      }
    })
  )
}

/** The contract's endpoint that `annotationsOf` was given. */
export const contractOf = ({ annotations }: HttpApiEndpoint.Top): Endpoint => Context.getUnsafe(annotations, Contract)

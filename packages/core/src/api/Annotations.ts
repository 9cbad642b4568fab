/** Annotates the endpoints of the HTTP API with the contract's endpoint, for middleware and `openapi.json`. */
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Endpoint } from "./Endpoints.ts"

class Contract extends Context.Service<Contract, Endpoint>()("@threat-exposure/core/api/Annotations/Contract") {}

/** The annotations of an HTTP endpoint that is made from this contract endpoint. */
export const annotationsOf = (
  endpoint: Endpoint,
  { description, summary }: { readonly summary: string; readonly description: string }
): Context.Context<Contract> => {
  const { isBeta, isDeprecated, operation, permission } = endpoint
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

/** The contract endpoint that was passed to `annotationsOf`. */
export const contractOf = ({ annotations }: HttpApiEndpoint.Top): Endpoint => Context.getUnsafe(annotations, Contract)

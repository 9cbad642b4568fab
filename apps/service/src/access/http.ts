/** The contract's middleware of access; the contract gives refusals the shape of v4 or v2. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { Access, Caller, V2Access } from "@threat-exposure/core/api/Access"
import { contractOf } from "@threat-exposure/core/api/Annotations"
import { addHeaders, limitHeaders } from "../limits/http.ts"
import { CurrentRequest } from "../observability/RequestLog.ts"
import { Authorization } from "./Authorization.ts"

interface Guarded {
  readonly credential: Redacted.Redacted
  readonly endpoint: HttpApiEndpoint.Top
}

export const AccessLayers = Layer.effectContext(
  Effect.map(Authorization, ({ authorize }) => {
    const bearer = <E, R>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      { credential, endpoint }: Guarded
    ) =>
      Effect.flatMap(CurrentRequest, (record) =>
        authorize(contractOf(endpoint), Redacted.value(credential), record)
      ).pipe(
        Effect.tapErrorTag("RateLimited", (failure) => addHeaders(limitHeaders(failure))),
        Effect.flatMap((caller) => Effect.provideService(httpEffect, Caller, caller))
      )
    return Context.make(Access, Access.of({ bearer })).pipe(Context.add(V2Access, V2Access.of({ bearer })))
  })
)

/** Monitored assets. See docs/api.md#create-an-identifier. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identifiers as endpoints } from "../api/Endpoints.ts"
import type { Identifier, NewIdentifier } from "../domain/Identifier.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const create = operation(endpoints.create)

/** Monitored assets, by the older v2 interface. */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    /**
     * Never retried. See docs/api.md#create-an-identifier.
     *
     * @deprecated In favour of a v4 operation that is not specified.
     */
    readonly create: (request: RequestInput<NewIdentifier>) => Effect.Effect<Identifier, ApiError>
  }
>()("@threat-exposure/core/client/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.map(ApiClient, ({ transport }) =>
      Identifiers.of({
        create: (request) => Effect.map(invoke(transport, create, { payload: request }), ({ asset }) => asset)
      })
    )
  )
}

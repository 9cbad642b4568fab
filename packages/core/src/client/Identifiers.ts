/** Monitored assets. SPEC 4.4. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identifiers as endpoints } from "../api/Endpoints.ts"
import type { Identifier, NewIdentifier } from "../domain/Identifier.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, type RequestInput, operation } from "../transport/Operation.ts"
import { ApiClient } from "./ApiClient.ts"

const create = operation(endpoints.create)

/** Monitored assets, by the older v2 interface. */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    /**
     * SPEC 4.4. Sent once, whatever happens.
     *
     * @deprecated SPEC names a v4 endpoint as its replacement, and does not show it.
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

/** Sets of identifiers. See docs/api.md#create-an-identifier-group. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identifierGroups as endpoints } from "../api/Endpoints.ts"
import type { IdentifierGroup, NewIdentifierGroup } from "../domain/IdentifierGroup.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const create = operation(endpoints.create)

/** Sets of monitored assets, by the older v2 interface. */
export class IdentifierGroups extends Context.Service<
  IdentifierGroups,
  {
    /** Never retried. See docs/api.md#create-an-identifier-group. */
    readonly create: (request: RequestInput<NewIdentifierGroup>) => Effect.Effect<IdentifierGroup, ApiError>
  }
>()("@threat-exposure/core/client/IdentifierGroups") {
  static readonly layer = Layer.effect(
    IdentifierGroups,
    Effect.map(ApiClient, ({ transport }) =>
      IdentifierGroups.of({
        create: (request) =>
          Effect.map(invoke(transport, create, { payload: request }), ({ assets_group }) => assets_group)
      })
    )
  )
}

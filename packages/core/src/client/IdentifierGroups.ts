/** Sets of identifiers. See docs/api.md#create-an-identifier-group. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identifierGroups } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface IdentifierGroupsMethods extends Methods<typeof identifierGroups> {}

/** Sets of monitored assets, by the older v2 interface. */
export class IdentifierGroups extends Context.Service<IdentifierGroups, IdentifierGroupsMethods>()(
  "@threat-exposure/core/client/IdentifierGroups"
) {
  static readonly layer = Layer.effect(
    IdentifierGroups,
    Effect.map(ApiClient, ({ transport }) => IdentifierGroups.of(methods(transport, identifierGroups)))
  )
}

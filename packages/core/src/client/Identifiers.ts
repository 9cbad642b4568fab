/** Monitored assets. See docs/api.md#create-an-identifier. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { identifiers } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface IdentifiersMethods extends Methods<typeof identifiers> {}

/** Monitored assets, by the older v2 interface. */
export class Identifiers extends Context.Service<Identifiers, IdentifiersMethods>()(
  "@threat-exposure/core/client/Identifiers"
) {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.map(ApiClient, ({ transport }) => Identifiers.of(methods(transport, identifiers)))
  )
}

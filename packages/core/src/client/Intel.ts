/** Questions to the threat-intelligence generator. See docs/api.md#ask-for-intelligence. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { intel } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface IntelMethods extends Methods<typeof intel> {}

/** Questions to the threat-intelligence generator. */
export class Intel extends Context.Service<Intel, IntelMethods>()("@threat-exposure/core/client/Intel") {
  static readonly layer = Layer.effect(
    Intel,
    Effect.map(ApiClient, ({ transport }) => Intel.of(methods(transport, intel)))
  )
}

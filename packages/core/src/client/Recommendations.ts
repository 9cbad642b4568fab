/** Identifiers that the service suggests to monitor. See docs/api.md#list-recommendations. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { recommendations } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface RecommendationsMethods extends Methods<typeof recommendations> {}

/** What the service suggests to monitor. */
export class Recommendations extends Context.Service<Recommendations, RecommendationsMethods>()(
  "@threat-exposure/core/client/Recommendations"
) {
  static readonly layer = Layer.effect(
    Recommendations,
    Effect.map(ApiClient, ({ transport }) => Recommendations.of(methods(transport, recommendations)))
  )
}

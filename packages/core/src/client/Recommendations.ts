import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApiError } from "../transport/ApiError.ts"
import { recommendations } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface RecommendationsMethods extends Methods<typeof recommendations> {
  /** Creates the recommended identifiers. */
  readonly accept: (ids: ReadonlyArray<number>) => Effect.Effect<void, ApiError>
  readonly reject: (ids: ReadonlyArray<number>) => Effect.Effect<void, ApiError>
}

/** Recommendations: identifiers that the service suggests to monitor. */
export class Recommendations extends Context.Service<Recommendations, RecommendationsMethods>()(
  "@threat-exposure/core/client/Recommendations"
) {
  static readonly layer = Layer.effect(
    Recommendations,
    Effect.map(ApiClient, ({ transport }) => {
      const derived = methods(transport, "Recommendations", recommendations)
      return Recommendations.of({
        ...derived,
        accept: (ids) => derived.act(ids, "accept"),
        reject: (ids) => derived.act(ids, "reject")
      })
    })
  )
}

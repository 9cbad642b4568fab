/** Which events match an identifier. See docs/api.md#matching-policy. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { matchingPolicies } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface MatchingPoliciesMethods extends Methods<typeof matchingPolicies> {}

/**
 * Which events match an identifier.
 *
 * @beta
 */
export class MatchingPolicies extends Context.Service<MatchingPolicies, MatchingPoliciesMethods>()(
  "@threat-exposure/core/client/MatchingPolicies"
) {
  static readonly layer = Layer.effect(
    MatchingPolicies,
    Effect.map(ApiClient, ({ transport }) => MatchingPolicies.of(methods(transport, matchingPolicies)))
  )
}

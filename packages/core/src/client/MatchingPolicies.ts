import * as Context from "effect/Context"
import { matchingPolicies } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface MatchingPoliciesMethods extends Methods<typeof matchingPolicies> {}

/**
 * Policies that decide which events match an identifier.
 *
 * @beta
 */
export class MatchingPolicies extends Context.Service<MatchingPolicies, MatchingPoliciesMethods>()(
  "@threat-exposure/core/client/MatchingPolicies"
) {
  static readonly layer = layerOf(this, matchingPolicies)
}

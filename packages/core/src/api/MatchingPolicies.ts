import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { matchingPolicies } from "./Endpoints.ts"
import { emptySuccess, notFound } from "./Responses.ts"

/**
 * See docs/api.md#matching-policy.
 *
 * @beta
 */
export class MatchingPolicies extends HttpApiGroup.make("matchingPolicies")
  .add(
    HttpApiEndpoint.make(matchingPolicies.assign.method)("assign", matchingPolicies.assign.path, {
      ...matchingPolicies.assign,
      success: emptySuccess,
      error: notFound.v4
    }).annotateMerge(annotationsOf(matchingPolicies.assign)),
    HttpApiEndpoint.make(matchingPolicies.assignments.method)("assignments", matchingPolicies.assignments.path, {
      ...matchingPolicies.assignments,
      error: notFound.v4
    }).annotateMerge(annotationsOf(matchingPolicies.assignments)),
    HttpApiEndpoint.make(matchingPolicies.ofIdentifier.method)("ofIdentifier", matchingPolicies.ofIdentifier.path, {
      ...matchingPolicies.ofIdentifier,
      error: notFound.v4
    }).annotateMerge(annotationsOf(matchingPolicies.ofIdentifier)),
    HttpApiEndpoint.make(matchingPolicies.delete.method)("delete", matchingPolicies.delete.path, {
      ...matchingPolicies.delete,
      success: emptySuccess,
      error: notFound.v4
    }).annotateMerge(annotationsOf(matchingPolicies.delete))
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Which events match an identifier (beta)" })) {}

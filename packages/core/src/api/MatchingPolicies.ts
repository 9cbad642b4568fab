import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { matchingPolicies } from "./Endpoints.ts"
import { emptySuccess, notFound } from "./Responses.ts"

const assign = HttpApiEndpoint.make(matchingPolicies.assign.method)("assign", matchingPolicies.assign.path, {
  ...matchingPolicies.assign,
  success: emptySuccess,
  error: notFound.v4
})
  .annotateMerge(
    annotationsOf(matchingPolicies.assign, {
      summary: "Assign a matching policy to identifiers",
      description: "From then on, the policy decides which events match them."
    })
  )
  .middleware(Validation)
  .middleware(Access)

const assignments = HttpApiEndpoint.make(matchingPolicies.assignments.method)(
  "assignments",
  matchingPolicies.assignments.path,
  {
    ...matchingPolicies.assignments,
    error: notFound.v4
  }
)
  .annotateMerge(
    annotationsOf(matchingPolicies.assignments, {
      summary: "List the assignments of a matching policy",
      description: "Lists the identifiers that have the policy."
    })
  )
  .middleware(Validation)
  .middleware(Access)

const ofIdentifier = HttpApiEndpoint.make(matchingPolicies.ofIdentifier.method)(
  "ofIdentifier",
  matchingPolicies.ofIdentifier.path,
  {
    ...matchingPolicies.ofIdentifier,
    error: notFound.v4
  }
)
  .annotateMerge(
    annotationsOf(matchingPolicies.ofIdentifier, {
      summary: "List the matching policies of an identifier",
      description: "Lists all of them at once, without paging."
    })
  )
  .middleware(Validation)
  .middleware(Access)

const remove = HttpApiEndpoint.make(matchingPolicies.delete.method)("delete", matchingPolicies.delete.path, {
  ...matchingPolicies.delete,
  success: emptySuccess,
  error: notFound.v4
})
  .annotateMerge(
    annotationsOf(matchingPolicies.delete, {
      summary: "Delete a matching policy",
      description: "Deletes the policy with its assignments."
    })
  )
  .middleware(Validation)
  .middleware(Access)

// Without its type, the compiler may order this union differently in each build.
const group: HttpApiGroup.HttpApiGroup<
  "matchingPolicies",
  typeof assign | typeof assignments | typeof ofIdentifier | typeof remove
> = HttpApiGroup.make("matchingPolicies")
  .add(assign, assignments, ofIdentifier, remove)
  .annotateMerge(OpenApi.annotations({ description: "Which events match an identifier (beta)" }))

/**
 * See docs/api.md#matching-policy.
 *
 * @beta
 */
export class MatchingPolicies extends group {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { done } from "./Done.ts"
import { matchingPolicies } from "./Endpoints.ts"
import { notFound } from "./Refusals.ts"

/**
 * SPEC 4.7 to 4.10.
 *
 * @beta
 */
export class MatchingPolicies extends HttpApiGroup.make("matchingPolicies")
  .add(
    HttpApiEndpoint.post("assign", matchingPolicies.assign.path, {
      ...matchingPolicies.assign,
      success: done,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.assign", {
        summary: "Assign a matching policy to identifiers",
        description: "From now on the policy decides which events match them. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.get("assignments", matchingPolicies.assignments.path, {
      ...matchingPolicies.assignments,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.assignments", {
        summary: "List the assignments of a matching policy",
        description: "Lists the identifiers that have the policy. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.get("ofIdentifier", matchingPolicies.ofIdentifier.path, {
      ...matchingPolicies.ofIdentifier,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.ofIdentifier", {
        summary: "List the matching policies of an identifier",
        description: "Lists all at once, without paging. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.delete("delete", matchingPolicies.delete.path, {
      ...matchingPolicies.delete,
      success: done,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.delete", {
        summary: "Delete a matching policy",
        description: "Deletes the policy with its assignments. Beta: may change without notice.",
        beta: true
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Which events match an identifier (beta)" })) {}

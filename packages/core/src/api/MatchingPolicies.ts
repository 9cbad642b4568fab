import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  AssignedPolicy,
  AssignPolicy,
  PolicyAssignmentList,
  PolicyAssignmentPage,
  PolicyUuid
} from "../domain/MatchingPolicy.ts"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { done } from "./Done.ts"
import { notFound } from "./Refusals.ts"

/**
 * SPEC 4.7 to 4.10.
 *
 * @beta
 */
export class MatchingPolicies extends HttpApiGroup.make("matchingPolicies")
  .add(
    HttpApiEndpoint.post("assign", "/v4/matching-policies/:policy_uuid/assignments", {
      params: { policy_uuid: PolicyUuid },
      payload: AssignPolicy,
      success: done,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.assign", {
        summary: "Assign a matching policy to identifiers",
        description: "From now on the policy decides which events match them. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.get("assignments", "/v4/matching-policies/:policy_uuid/assignments", {
      params: { policy_uuid: PolicyUuid },
      query: PolicyAssignmentList,
      success: PolicyAssignmentPage,
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.assignments", {
        summary: "List the assignments of a matching policy",
        description: "Lists the identifiers that have the policy. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.get("ofIdentifier", "/v4/matching-policies/by_identifier_id/:identifier_id", {
      params: { identifier_id: Schema.Int },
      success: Schema.Array(AssignedPolicy),
      error: notFound.v4
    }).annotateMerge(
      describe("matchingPolicies.ofIdentifier", {
        summary: "List the matching policies of an identifier",
        description: "Lists all at once, without paging. Beta: may change without notice.",
        beta: true
      })
    ),
    HttpApiEndpoint.delete("delete", "/v4/matching-policies/:policy_uuid", {
      params: { policy_uuid: PolicyUuid },
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

/** Which events match an identifier. See docs/api.md#matching-policy. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { matchingPolicies as endpoints } from "../api/Endpoints.ts"
import type {
  AssignedPolicy,
  AssignPolicy,
  PolicyAssignment,
  PolicyAssignmentList,
  PolicyUuid
} from "../domain/MatchingPolicy.ts"
import type { Page } from "../domain/Page.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { itemsOf, listing, listOf, pagesOf } from "../transport/Listing.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput, ListRequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const assign = operation(endpoints.assign)
const assignments = operation(endpoints.assignments)
const ofIdentifier = operation(endpoints.ofIdentifier)
const remove = operation(endpoints.delete)

/**
 * Which events match an identifier. `assign` and `delete` are never retried.
 *
 * @beta
 */
export class MatchingPolicies extends Context.Service<
  MatchingPolicies,
  {
    /** See docs/api.md#assign-a-matching-policy. */
    readonly assign: (policyUuid: PolicyUuid, request: RequestInput<AssignPolicy>) => Effect.Effect<void, ApiError>
    /** By `assigned_at`. See docs/api.md#list-policy-assignments. */
    readonly assignments: (
      policyUuid: PolicyUuid,
      request?: ListRequestInput<PolicyAssignmentList>
    ) => Stream.Stream<PolicyAssignment, ApiError>
    /** The same, page by page, for callers who stop and resume with `from`. */
    readonly pagesOfAssignments: (
      policyUuid: PolicyUuid,
      request?: ListRequestInput<PolicyAssignmentList>
    ) => Stream.Stream<Page<PolicyAssignment>, ApiError>
    /** All at once, without paging. What cannot be decoded is left out, as in a listing. See docs/api.md#list-policies-of-an-identifier. */
    readonly ofIdentifier: (identifierId: number) => Effect.Effect<ReadonlyArray<AssignedPolicy>, ApiError>
    /** Also deletes its assignments. See docs/api.md#delete-a-matching-policy. */
    readonly delete: (policyUuid: PolicyUuid) => Effect.Effect<void, ApiError>
  }
>()("@threat-exposure/core/client/MatchingPolicies") {
  static readonly layer = Layer.effect(
    MatchingPolicies,
    Effect.map(ApiClient, ({ transport }) => {
      const assigned = (policyUuid: PolicyUuid, request?: ListRequestInput<PolicyAssignmentList>) =>
        Effect.sync(() =>
          listing(transport, assignments, request ?? {}, (query) => ({ params: { policy_uuid: policyUuid }, query }))
        )
      return MatchingPolicies.of({
        assign: (policyUuid, request) =>
          invoke(transport, assign, { params: { policy_uuid: policyUuid }, payload: request }),
        assignments: (policyUuid, request) => itemsOf(assigned(policyUuid, request)),
        pagesOfAssignments: (policyUuid, request) => pagesOf(assigned(policyUuid, request)),
        ofIdentifier: (identifierId) => listOf(transport, ofIdentifier, { params: { identifier_id: identifierId } }),
        delete: (policyUuid) => invoke(transport, remove, { params: { policy_uuid: policyUuid } })
      })
    })
  )
}

import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type {
  AssignedPolicy,
  MatchingPolicy,
  PolicyAssignment,
  PolicyUuid
} from "@threat-exposure/core/domain/MatchingPolicy"
import type { PageRequest } from "../requests/Positions.ts"
import type { RefusedIdentifier } from "./PolicyFaults.ts"

export class MatchingPolicyStore extends Context.Service<
  MatchingPolicyStore,
  {
    insert(policy: StoredPolicy): Effect.Effect<void>
    find(tenantId: number, uuid: PolicyUuid): Effect.Effect<MatchingPolicy, NotFound>
    /** In the order of creation, then of their uuids: both are the position. */
    page(tenantId: number, page: PageRequest<string>): Effect.Effect<ReadonlyArray<MatchingPolicy>>
    /** Changes a policy for future matches. Fails if an identifier cannot have the changed policy. */
    update(change: PolicyChange): Effect.Effect<MatchingPolicy, NotFound | PolicyRefused>
    /** Atomic, like `assign`. Identifiers without the policy stay unchanged. */
    unassign(tenantId: number, uuid: PolicyUuid, identifierIds: ReadonlyArray<number>): Effect.Effect<void, NotFound>
    /** Changes nothing if the tenant lacks the policy or an identifier, or an identifier cannot have the policy. */
    assign(assigned: AssignedIdentifiers): Effect.Effect<void, NotFound | PolicyRefused>
    /** In the order of assignment, then of the identifiers: both are the position. Names are redacted. */
    assignments(uuid: PolicyUuid, page: PageRequest<number>): Effect.Effect<ReadonlyArray<PolicyAssignment>>
    ofIdentifier(tenantId: number, identifierId: number): Effect.Effect<ReadonlyArray<AssignedPolicy>, NotFound>
    delete(tenantId: number, uuid: PolicyUuid): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/matching-policies/MatchingPolicyStore") {}

export class PolicyRefused extends Data.TaggedError("PolicyRefused")<{
  readonly identifiers: ReadonlyArray<RefusedIdentifier>
}> {}

export const requireNoneRefused = (identifiers: ReadonlyArray<RefusedIdentifier>): Effect.Effect<void, PolicyRefused> =>
  identifiers.length === 0 ? Effect.void : Effect.fail(new PolicyRefused({ identifiers }))

export interface StoredPolicy {
  readonly tenantId: number
  readonly name: string
  readonly type: string
  readonly value: PolicyValue
  readonly uuid: PolicyUuid
  /** ISO 8601. */
  readonly createdAt: string
}

type PolicyValue = MatchingPolicy["value"]

export interface PolicyChange {
  readonly tenantId: number
  readonly uuid: PolicyUuid
  readonly name: string
  readonly value: PolicyValue
  /** ISO 8601. */
  readonly updatedAt: string
}

export interface AssignedIdentifiers {
  readonly tenantId: number
  readonly uuid: PolicyUuid
  readonly identifierIds: ReadonlyArray<number>
  readonly cleanPastEvents: boolean
  /** ISO 8601. */
  readonly assignedAt: string
}

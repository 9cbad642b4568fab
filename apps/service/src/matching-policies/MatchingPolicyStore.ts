import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { AssignedPolicy, MatchingPolicy, PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import type { Order } from "@threat-exposure/core/domain/Page"
import type { RefusedIdentifier } from "./PolicyFaults.ts"

/** Where policies and their assignments are stored. Each engine has a layer of it. */
export class MatchingPolicyStore extends Context.Service<
  MatchingPolicyStore,
  {
    insert(policy: StoredPolicy): Effect.Effect<void>
    /** Fails if the policy is not the tenant's. */
    find(tenantId: number, uuid: PolicyUuid): Effect.Effect<MatchingPolicy, NotFound>
    /** By time of creation, those of one time by uuid. */
    page(listing: PolicyListing): Effect.Effect<ReadonlyArray<MatchingPolicy>>
    /** Applies to what is matched from then on. Refused if an identifier could not have the changed policy. */
    update(change: PolicyChange): Effect.Effect<MatchingPolicy, NotFound | PolicyRefused>
    /** Atomic, like `assign`. An identifier that does not have the policy stays as it is. */
    unassign(
      unassigned: Pick<AssignedIdentifiers, "identifierIds" | "tenantId" | "uuid">
    ): Effect.Effect<void, NotFound>
    /** Atomic: fails without any change if the policy or one of the identifiers is not the tenant's, or if one cannot have it. */
    assign(assigned: AssignedIdentifiers): Effect.Effect<void, NotFound | PolicyRefused>
    /** By time of assignment, those of one time by identifier. */
    assignments(listing: AssignmentListing): Effect.Effect<ReadonlyArray<StoredAssignment>>
    ofIdentifier(tenantId: number, identifierId: number): Effect.Effect<ReadonlyArray<AssignedPolicy>, NotFound>
    delete(tenantId: number, uuid: PolicyUuid): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/matching-policies/MatchingPolicyStore") {}

/** Identifiers cannot have the policy beside their others. */
export class PolicyRefused extends Data.TaggedError("PolicyRefused")<{
  readonly identifiers: ReadonlyArray<RefusedIdentifier>
}> {}

/** Fails if there are any. */
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

/** Its shape depends on the type. */
type PolicyValue = MatchingPolicy["value"]

export interface PolicyListing {
  readonly tenantId: number
  readonly order: Order
  /** The sort key of the last item of the previous page. */
  readonly after: readonly [createdAt: string, uuid: string] | undefined
  readonly size: number
}

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
  /** Removes the events of these identifiers that the policy does not keep. */
  readonly cleanPastEvents: boolean
  /** ISO 8601. */
  readonly assignedAt: string
}

export interface AssignmentListing {
  readonly uuid: PolicyUuid
  readonly order: Order
  /** The sort key of the last item of the previous page. */
  readonly after: readonly [assignedAt: string, identifierId: number] | undefined
  readonly size: number
}

export interface StoredAssignment {
  readonly identifier_id: number
  /** Without a secret. */
  readonly identifier_name: string
  readonly clean_past_events: boolean
  readonly assigned_at: string
}

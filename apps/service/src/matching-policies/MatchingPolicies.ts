import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { type NotFound, type ValidationFailed } from "@threat-exposure/core/domain/Failures"
import {
  type AssignedPolicy,
  type AssignPolicy,
  defaultAssignments,
  type MatchingPolicy,
  type MatchingPolicyList,
  type MatchingPolicyUpdate,
  maxPolicies,
  type NewMatchingPolicy,
  type PolicyAssignment,
  type PolicyAssignmentList,
  type PolicyUuid
} from "@threat-exposure/core/domain/MatchingPolicy"
import type { Page } from "@threat-exposure/core/domain/Page"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { type CursorInvalid, cursors } from "../crypto/Cursor.ts"
import type { Vault } from "../crypto/Vault.ts"
import { MatchingPolicyStore } from "./MatchingPolicyStore.ts"
import { newPolicyFaults, policyFaults } from "./PolicyFaults.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"

/** Policies that determine which events match an identifier. Policies of other tenants are not found. */
export class MatchingPolicies extends Context.Service<
  MatchingPolicies,
  {
    /** Creates a policy, which has no effect until it is assigned. The default uuid is random. */
    create(
      tenantId: number,
      policy: NewMatchingPolicy,
      uuid?: PolicyUuid
    ): Effect.Effect<MatchingPolicy, ValidationFailed>
    /** In the order of creation. */
    list(tenantId: number, list: MatchingPolicyList): Effect.Effect<Page<MatchingPolicy>, CursorInvalid>
    get(tenantId: number, uuid: PolicyUuid): Effect.Effect<MatchingPolicy, NotFound>
    /** Changes a policy for future matches. See docs/api.md#change-a-matching-policy. */
    update(
      tenantId: number,
      uuid: PolicyUuid,
      change: MatchingPolicyUpdate
    ): Effect.Effect<MatchingPolicy, NotFound | ValidationFailed>
    /** The faults in a body of `create` that its schema does not detect. The body may have other faults. */
    faults(body: unknown): ReadonlyArray<ValidationFault>
    /** Like `faults`, for a body of `update`. */
    updateFaults(tenantId: number, uuid: PolicyUuid, body: unknown): Effect.Effect<ReadonlyArray<ValidationFault>>
    /** Changes all of the identifiers, or none. */
    unassign(tenantId: number, uuid: PolicyUuid, body: AssignPolicy): Effect.Effect<void, NotFound>
    /** Changes all of the identifiers, or none. See docs/api.md#assign-a-matching-policy. */
    assign(tenantId: number, uuid: PolicyUuid, body: AssignPolicy): Effect.Effect<void, NotFound | ValidationFailed>
    /** In the order of assignment. See docs/api.md#list-policy-assignments. */
    assignments(
      tenantId: number,
      uuid: PolicyUuid,
      list: PolicyAssignmentList
    ): Effect.Effect<Page<PolicyAssignment>, CursorInvalid | NotFound>
    /** The most recently assigned policy first. See docs/api.md#list-policies-of-an-identifier. */
    ofIdentifier(tenantId: number, identifierId: number): Effect.Effect<ReadonlyArray<AssignedPolicy>, NotFound>
    /**
     * Deletes a policy with its assignments. Future matches ignore it, but events that it excluded or removed before do
     * not come back. See docs/api.md#delete-a-matching-policy.
     */
    delete(tenantId: number, uuid: PolicyUuid): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/matching-policies/MatchingPolicies") {
  static readonly layer = Layer.effect(
    MatchingPolicies,
    Effect.gen(function* () {
      const store = yield* MatchingPolicyStore
      const current = yield* CurrentVault
      return MatchingPolicies.of({
        create: Effect.fn("MatchingPolicies.create")(function* (tenantId, { name, type, value }, given) {
          yield* requireValid(current.vault, type, value)
          const uuid = given ?? (yield* Effect.sync(() => randomUUID()))
          const createdAt = DateTime.formatIso(yield* DateTime.now)
          yield* store.insert({ tenantId, name, type, value: { ...value }, uuid, createdAt })
          return {
            uuid,
            name,
            policy_type: type,
            value: { ...value },
            created_at: createdAt,
            last_updated_at: createdAt
          }
        }),

        list: Effect.fn("MatchingPolicies.list")(function* (tenantId, { from, order = "desc", size = maxPolicies }) {
          const { after, page } = yield* policyCursors.open(current.vault, ["policies", tenantId, order], from)
          const policies = yield* store.page({ tenantId, order, after, size: size + 1 })
          return page(policies, size, ({ created_at, uuid }) => [created_at ?? "", uuid])
        }),

        get: Effect.fn("MatchingPolicies.get")((tenantId, uuid) => store.find(tenantId, uuid)),

        update: Effect.fn("MatchingPolicies.update")(function* (tenantId, uuid, { name, value }) {
          const { policy_type } = yield* store.find(tenantId, uuid)
          yield* requireValid(current.vault, policy_type, value)
          const updatedAt = DateTime.formatIso(yield* DateTime.now)
          return yield* Effect.catchTag(
            store.update({ tenantId, uuid, name, value, updatedAt }),
            "PolicyRefused",
            ({ identifiers: [first] }) =>
              refuse([
                {
                  loc: ["body", "value"],
                  msg: `${first?.reason ?? ""}: identifier ${first?.id ?? 0}`,
                  type: "too_long"
                }
              ])
          )
        }),

        faults: (body) => newPolicyFaults(current.vault, body),

        updateFaults: (tenantId, uuid, body) =>
          Effect.match(store.find(tenantId, uuid), {
            onSuccess: ({ policy_type }) =>
              Predicate.isObject(body) ? policyFaults(current.vault, policy_type, body["value"]) : [],
            onFailure: () => []
          }),

        unassign: Effect.fn("MatchingPolicies.unassign")((tenantId, uuid, { identifier_ids }) =>
          store.unassign({ tenantId, uuid, identifierIds: [...new Set(identifier_ids)] })
        ),

        assign: Effect.fn("MatchingPolicies.assign")(function* (
          tenantId,
          uuid,
          { clean_past_events: cleanPastEvents = false, identifier_ids }
        ) {
          const identifierIds = [...new Set(identifier_ids)]
          const assignedAt = DateTime.formatIso(yield* DateTime.now)
          yield* Effect.catchTag(
            store.assign({ tenantId, uuid, identifierIds, cleanPastEvents, assignedAt }),
            "PolicyRefused",
            ({ identifiers }) =>
              refuse(
                identifiers.map(({ id, reason }) => ({
                  loc: ["body", "identifier_ids", identifier_ids.indexOf(id)],
                  msg: reason,
                  type: "too_long"
                }))
              )
          )
        }),

        assignments: Effect.fn("MatchingPolicies.assignments")(function* (
          tenantId,
          uuid,
          { from, order = "desc", size = defaultAssignments }
        ) {
          const listing = ["assignments", tenantId, uuid, order]
          // Report a missing policy before an invalid cursor.
          yield* store.find(tenantId, uuid)
          const { after, page } = yield* assignmentCursors.open(current.vault, listing, from)
          const assignments = yield* store.assignments({ uuid, order, after, size: size + 1 })
          return page(assignments, size, ({ assigned_at, identifier_id }) => [assigned_at, identifier_id])
        }),

        ofIdentifier: Effect.fn("MatchingPolicies.ofIdentifier")((tenantId, identifierId) =>
          store.ofIdentifier(tenantId, identifierId)
        ),

        delete: Effect.fn("MatchingPolicies.delete")((tenantId, uuid) => store.delete(tenantId, uuid))
      })
    })
  )
}

const assignmentCursors = cursors(Schema.Tuple([Schema.String, Schema.Int]))

const policyCursors = cursors(Schema.Tuple([Schema.String, Schema.String]))

const requireValid = (vault: Vault, type: string, value: unknown): Effect.Effect<void, ValidationFailed> => {
  const faults = policyFaults(vault, type, value)
  return faults.length === 0 ? Effect.void : refuse(faults)
}

const refuse = (detail: ReadonlyArray<ValidationFault>) => Effect.fail(makeValidationFailed(detail))

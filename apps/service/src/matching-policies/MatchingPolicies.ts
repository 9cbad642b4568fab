import { randomUUID } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import type { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { defaultAssignments, maxPolicies } from "@threat-exposure/core/domain/MatchingPolicy"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import type { Vault } from "../crypto/Vault.ts"
import type { OperationHandlers } from "../requests/OperationHandlers.ts"
import { MatchingPolicyStore } from "./MatchingPolicyStore.ts"
import { newPolicyFaults, policyFaults } from "./PolicyFaults.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"

/** Policies that determine which events match an identifier. Policies of other tenants are not found. */
export const policyHandlers = Effect.gen(function* () {
  const store = yield* MatchingPolicyStore
  const current = yield* CurrentVault
  return {
    create: {
      check: ({ body }) => Effect.sync(() => newPolicyFaults(current.vault, body)),
      handle: Effect.fn("MatchingPolicies.create")(function* ({ payload: { name, type, value } }, { tenantId }) {
        yield* requireValid(current.vault, type, value)
        const uuid = yield* Effect.sync(() => randomUUID())
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
      })
    },

    list: Effect.fn("MatchingPolicies.list")(function* (
      { query: { from, order = "desc", size = maxPolicies } },
      { tenantId }
    ) {
      const { after, page } = yield* policyCursors.open(current.vault, ["policies", tenantId, order], from)
      const policies = yield* store.page(tenantId, { order, after, size: size + 1 })
      return page(policies, size, ({ created_at, uuid }) => [created_at ?? "", uuid])
    }),

    get: Effect.fn("MatchingPolicies.get")(({ params }, { tenantId }) => store.find(tenantId, params.policy_uuid)),

    update: {
      check: ({ body, params }, tenantId) =>
        Effect.match(store.find(tenantId, params["policy_uuid"] ?? ""), {
          onSuccess: ({ policy_type }) =>
            Predicate.isObject(body) ? policyFaults(current.vault, policy_type, body["value"]) : [],
          onFailure: () => []
        }),
      handle: Effect.fn("MatchingPolicies.update")(function* ({ params, payload: { name, value } }, { tenantId }) {
        const uuid = params.policy_uuid
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
      })
    },

    unassign: Effect.fn("MatchingPolicies.unassign")(({ params, payload: { identifier_ids } }, { tenantId }) =>
      store.unassign(tenantId, params.policy_uuid, [...new Set(identifier_ids)])
    ),

    assign: Effect.fn("MatchingPolicies.assign")(function* (
      { params, payload: { clean_past_events: cleanPastEvents = false, identifier_ids } },
      { tenantId }
    ) {
      const identifierIds = [...new Set(identifier_ids)]
      const assignedAt = DateTime.formatIso(yield* DateTime.now)
      yield* Effect.catchTag(
        store.assign({ tenantId, uuid: params.policy_uuid, identifierIds, cleanPastEvents, assignedAt }),
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
      { params, query: { from, order = "desc", size = defaultAssignments } },
      { tenantId }
    ) {
      const uuid = params.policy_uuid
      const listing = ["assignments", tenantId, uuid, order]
      // Report a missing policy before an invalid cursor.
      yield* store.find(tenantId, uuid)
      const { after, page } = yield* assignmentCursors.open(current.vault, listing, from)
      const assignments = yield* store.assignments(uuid, { order, after, size: size + 1 })
      return page(assignments, size, ({ assigned_at, identifier_id }) => [assigned_at ?? "", identifier_id])
    }),

    ofIdentifier: Effect.fn("MatchingPolicies.ofIdentifier")(({ params }, { tenantId }) =>
      store.ofIdentifier(tenantId, params.identifier_id)
    ),

    delete: Effect.fn("MatchingPolicies.delete")(({ params }, { tenantId }) =>
      store.delete(tenantId, params.policy_uuid)
    )
  } satisfies OperationHandlers["matchingPolicies"]
})

const assignmentCursors = cursors(Schema.Tuple([Schema.String, Schema.Int]))

const policyCursors = cursors(Schema.Tuple([Schema.String, Schema.String]))

const requireValid = (vault: Vault, type: string, value: unknown): Effect.Effect<void, ValidationFailed> => {
  const faults = policyFaults(vault, type, value)
  return faults.length === 0 ? Effect.void : refuse(faults)
}

const refuse = (detail: ReadonlyArray<ValidationFault>) => Effect.fail(makeValidationFailed(detail))

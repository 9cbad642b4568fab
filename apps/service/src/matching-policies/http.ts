import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { NotFound, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { Database } from "../sqlite/Database.ts"
import { assignmentsJob, assignPolicyJob, deletePolicyJob, policiesOfIdentifierJob } from "./Policies.ts"

/** See docs/api.md#matching-policy. */
export const MatchingPolicyHandlers = HttpApiBuilder.group(
  Api,
  "matchingPolicies",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      assign: Effect.fnUntraced(function* ({ params, payload }) {
        const { tenantId } = yield* Caller
        const outcome = yield* database.write(assignPolicyJob, {
          tenantId,
          uuid: params.policy_uuid,
          identifierIds: payload.identifier_ids,
          cleanPastEvents: payload.clean_past_events ?? false,
          now: DateTime.formatIso(yield* DateTime.now)
        })
        if (outcome === "missing") return yield* new NotFound()
      }),
      assignments: Effect.fnUntraced(function* ({ params, query }) {
        const { tenantId } = yield* Caller
        const { from, order, size } = query
        const result = yield* database.read(assignmentsJob, { tenantId, uuid: params.policy_uuid, order, size, from })
        if (result._tag === "PolicyMissing") return yield* new NotFound()
        if (result._tag === "CursorInvalid") {
          return yield* new ValidationFailed({ detail: [invalidCursor("query")] })
        }
        return { items: result.items, next: result.next }
      }),
      ofIdentifier: Effect.fnUntraced(function* ({ params }) {
        const { tenantId } = yield* Caller
        const policies = yield* database.read(policiesOfIdentifierJob, {
          tenantId,
          identifierId: params.identifier_id
        })
        return policies ?? (yield* new NotFound())
      }),
      delete: Effect.fnUntraced(function* ({ params }) {
        const { tenantId } = yield* Caller
        const deleted = yield* database.write(deletePolicyJob, { tenantId, uuid: params.policy_uuid })
        if (!deleted) return yield* new NotFound()
      })
    })
  })
)

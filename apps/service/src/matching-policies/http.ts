import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { refuseCursor } from "../requests/ValidationFaults.ts"
import { MatchingPolicies } from "./MatchingPolicies.ts"

export const MatchingPolicyHandlers = HttpApiBuilder.group(
  Api,
  "matchingPolicies",
  Effect.fnUntraced(function* (handlers) {
    const policies = yield* MatchingPolicies
    return handlers.handleAll({
      assign: Effect.fnUntraced(function* ({ params, payload }) {
        const { tenantId } = yield* Caller
        yield* policies.assign(tenantId, params.policy_uuid, payload)
      }),
      assignments: Effect.fnUntraced(
        function* ({ params, query }) {
          const { tenantId } = yield* Caller
          return yield* policies.assignments(tenantId, params.policy_uuid, query)
        },
        Effect.catchTag("CursorInvalid", refuseCursor("query"))
      ),
      ofIdentifier: Effect.fnUntraced(function* ({ params }) {
        const { tenantId } = yield* Caller
        return yield* policies.ofIdentifier(tenantId, params.identifier_id)
      }),
      delete: Effect.fnUntraced(function* ({ params }) {
        const { tenantId } = yield* Caller
        yield* policies.delete(tenantId, params.policy_uuid)
      })
    })
  })
)

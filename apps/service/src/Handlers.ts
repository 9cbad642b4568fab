/** The handlers of all operations: each passes a decoded request to the service of its concept. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Handlers } from "@threat-exposure/core/api/Endpoints"
import { V2Failure } from "@threat-exposure/core/domain/Failures"
import type { RecommendationPage } from "@threat-exposure/core/domain/Recommendation"
import { Credentials } from "./credentials/Credentials.ts"
import type { CursorInvalid } from "./crypto/Cursor.ts"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { Events, eventTypeList, severityList } from "./events/Events.ts"
import { type SearchedTypes, searchFaults } from "./events/SearchFaults.ts"
import { IdentifierGroupStore } from "./identifier-groups/IdentifierGroupStore.ts"
import { Identifiers, unknownGroup } from "./identifiers/Identifiers.ts"
import { Intel } from "./intel/Intel.ts"
import type { ApiKey } from "./keys/ApiKeys.ts"
import { quotaHeaders } from "./limits/LimitHeaders.ts"
import { MatchingPolicies } from "./matching-policies/MatchingPolicies.ts"
import { Recommendations } from "./recommendations/Recommendations.ts"
import { Reports } from "./reports/Reports.ts"
import type { RequestCheck } from "./requests/RequestDecoder.ts"
import { type Answer, jsonAnswer } from "./requests/ServedRequest.ts"
import { Tenants } from "./tenants/Tenants.ts"

type HandlersInGroups = Handlers<ApiKey, EncodedAnswer>

/** The handlers, with a check for requests whose schemas do not detect every fault. */
export type ServiceHandlers = {
  readonly [G in keyof HandlersInGroups]: {
    readonly [Name in keyof HandlersInGroups[G]]:
      | WithCursor<HandlersInGroups[G][Name]>
      | { readonly check: RequestCheck; readonly handle: WithCursor<HandlersInGroups[G][Name]> }
  }
}

/** A handler returns the result of the contract, or an answer that it has already encoded. It may refuse the cursor. */
type WithCursor<H> = H extends (request: infer Request, caller: infer Caller) => Effect.Effect<infer A, infer E>
  ? (request: Request, caller: Caller) => Effect.Effect<A, CursorInvalid | E>
  : never

export class EncodedAnswer {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

export const makeHandlers = Effect.gen(function* () {
  const credentials = yield* Credentials
  const events = yield* Events
  const identifiers = yield* Identifiers
  const groups = yield* IdentifierGroupStore
  const recommendations = yield* Recommendations
  const policies = yield* MatchingPolicies
  const reports = yield* Reports
  const tenants = yield* Tenants
  const intel = yield* Intel
  const current = yield* CurrentVault

  const checkSearch =
    (searched: SearchedTypes): RequestCheck =>
    ({ body }) =>
      Effect.sync(() => searchFaults(current.vault, body, searched))
  const checkIdentifier: RequestCheck = ({ body }, tenantId) => {
    const faults = identifiers.faults(body)
    if (!namesGroup(body)) return Effect.succeed(faults)
    return Effect.match(groups.find(tenantId, body.group_id), {
      onSuccess: () => faults,
      onFailure: () => [...faults, unknownGroup]
    })
  }

  const handlers: ServiceHandlers = {
    credentials: {
      // The store builds the JSON of a page.
      search: Effect.fnUntracedEager(function* ({ payload }, { tenantId }) {
        const { json, quota } = yield* credentials.search(tenantId, payload)
        return new EncodedAnswer({ status: 200, headers: quotaHeaders(quota), body: json })
      }),
      ofTenant: ({ query }, { tenantId }) => answerJson(credentials.ofTenant(tenantId, query)),
      act: ({ payload }, { tenantId }) => credentials.act(tenantId, payload)
    },
    events: {
      search: {
        check: checkSearch("global"),
        handle: Effect.fnUntraced(function* ({ payload }, { tenantId }) {
          const { json, quota } = yield* events.search(tenantId, payload)
          return new EncodedAnswer({ status: 200, headers: quotaHeaders(quota), body: json })
        })
      },
      ofIdentifier: {
        check: checkSearch("identifier"),
        handle: ({ params, payload }, { tenantId }) =>
          answerJson(events.ofIdentifier(tenantId, params.identifier_id, payload))
      },
      ofTenant: {
        check: checkSearch("tenant"),
        handle: ({ payload }, { tenantId }) => answerJson(events.ofTenant(tenantId, payload))
      },
      ofGroup: {
        check: checkSearch("tenant"),
        handle: ({ params, payload }, { tenantId }) => answerJson(events.ofGroup(tenantId, params.group_id, payload))
      },
      get: ({ query }, { tenantId }) => events.get(tenantId, query.uid),
      expand: ({ query }, { tenantId }) => answerJson(events.expand(tenantId, query)),
      types: () => Effect.succeed(eventTypeList),
      severities: () => Effect.succeed(severityList),
      act: ({ payload }, { tenantId }) => events.act(tenantId, payload),
      annotate: ({ payload, query }, { tenantId }) => events.annotate(tenantId, query.uid, payload)
    },
    identifiers: {
      createV2: {
        check: ({ body }) => Effect.sync(() => identifiers.faultsV2(body)),
        handle: ({ payload }, { tenantId }) =>
          identifiers.createV2(tenantId, payload).pipe(
            Effect.map((asset) => ({ asset })),
            Effect.catchTag("QueryStringInvalid", ({ position, reason }) =>
              Effect.fail(
                new V2Failure({
                  code: "INVALID_QUERY",
                  message: `The search query cannot be read at character ${position}: ${reason}`
                })
              )
            )
          )
      },
      list: ({ query }, { tenantId }) => answerEncoded(identifiers.list(tenantId, query)),
      get: ({ params }, { tenantId }) => answerEncoded(identifiers.get(tenantId, params.identifier_id)),
      create: {
        check: checkIdentifier,
        handle: ({ payload }, { tenantId }) => answerEncoded(identifiers.create(tenantId, payload))
      },
      update: {
        check: checkIdentifier,
        handle: ({ params, payload }, { tenantId }) =>
          answerEncoded(identifiers.update(tenantId, params.identifier_id, payload))
      },
      delete: ({ params }, { tenantId }) =>
        Effect.as(identifiers.delete(tenantId, params.identifier_id), new EncodedAnswer({ status: 202 }))
    },
    identifierGroups: {
      create: ({ payload }, { tenantId }) =>
        Effect.map(groups.put({ tenantId, group: payload }), (assets_group) => ({ assets_group })),
      list: (_, { tenantId }) => Effect.map(groups.list(tenantId), (assets_groups) => ({ assets_groups })),
      get: ({ params }, { tenantId }) =>
        Effect.map(groups.find(tenantId, params.group_id), (assets_group) => ({ assets_group })),
      update: ({ params, payload }, { tenantId }) =>
        Effect.map(groups.update({ tenantId, id: params.group_id, change: payload }), (assets_group) => ({
          assets_group
        })),
      delete: ({ params }, { tenantId }) => groups.delete(tenantId, params.group_id)
    },
    recommendations: {
      list: ({ query }, { tenantId }) =>
        // The items are sent as they were stored: encoding an item takes six times as long as writing it.
        answerEncoded<typeof RecommendationPage.Encoded, CursorInvalid>(recommendations.list(tenantId, query)),
      act: ({ payload }, { tenantId }) => recommendations.act(tenantId, payload)
    },
    matchingPolicies: {
      assign: ({ params, payload }, { tenantId }) => policies.assign(tenantId, params.policy_uuid, payload),
      assignments: ({ params, query }, { tenantId }) => policies.assignments(tenantId, params.policy_uuid, query),
      ofIdentifier: ({ params }, { tenantId }) => policies.ofIdentifier(tenantId, params.identifier_id),
      delete: ({ params }, { tenantId }) => policies.delete(tenantId, params.policy_uuid),
      list: ({ query }, { tenantId }) => policies.list(tenantId, query),
      create: {
        check: ({ body }) => Effect.sync(() => policies.faults(body)),
        handle: ({ payload }, { tenantId }) => policies.create(tenantId, payload)
      },
      get: ({ params }, { tenantId }) => policies.get(tenantId, params.policy_uuid),
      update: {
        check: ({ body, params }, tenantId) => policies.updateFaults(tenantId, params["policy_uuid"] ?? "", body),
        handle: ({ params, payload }, { tenantId }) => policies.update(tenantId, params.policy_uuid, payload)
      },
      unassign: ({ params, payload }, { tenantId }) => policies.unassign(tenantId, params.policy_uuid, payload)
    },
    reports: {
      create: ({ payload }, { tenantId }) => reports.create(tenantId, payload),
      list: ({ query }, { tenantId }) => reports.list(tenantId, query),
      get: ({ params }, { tenantId }) => reports.get(tenantId, params.report_id),
      download: ({ params, query }, { tenantId }) =>
        Effect.map(reports.download(tenantId, params.report_id, query.format), (answer) => new EncodedAnswer(answer))
    },
    tenants: {
      addUsers: ({ params, payload }, { tenantId }) => tenants.addUsers(tenantId, params.tenant_id, payload.users),
      mine: (_, { tenantId }) => Effect.map(tenants.mine(tenantId), (tenants) => ({ tenants })),
      users: ({ params }, { tenantId }) =>
        Effect.map(tenants.users(tenantId, params.tenant_id), (users) => ({ users })),
      removeUser: ({ params }, { tenantId }) => tenants.removeUser(tenantId, params.tenant_id, params.user_id)
    },
    intel: {
      ask: ({ payload }, { tenantId }) => Effect.map(intel.ask(tenantId, payload), (request_id) => ({ request_id })),
      get: ({ params }, { tenantId }) => intel.get(tenantId, params.request_id)
    }
  }
  return handlers
})

const answerJson = <E>(json: Effect.Effect<string | Uint8Array, E>) =>
  Effect.map(json, (body) => new EncodedAnswer({ status: 200, body }))

const answerEncoded = <A, E>(result: Effect.Effect<A, E>) =>
  Effect.map(result, (encoded) => new EncodedAnswer(jsonAnswer(encoded)))

const namesGroup = Schema.is(Schema.Struct({ group_id: Schema.Int }))

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Authorization } from "./access/Authorization.ts"
import { identifierGroupHandlers } from "./identifier-groups/IdentifierGroupStore.ts"
import type { ClusterEngine } from "./ClusterEngine.ts"
import { credentialHandlers } from "./credentials/Credentials.ts"
import { eventHandlers } from "./events/Events.ts"
import { identifierHandlers } from "./identifiers/Identifiers.ts"
import { intelHandlers } from "./intel/Intel.ts"
import { Quota } from "./limits/Quota.ts"
import type { OperationHandlers } from "./requests/OperationHandlers.ts"
import { policyHandlers } from "./matching-policies/MatchingPolicies.ts"
import { recommendationHandlers } from "./recommendations/Recommendations.ts"
import { reportHandlers } from "./reports/Reports.ts"
import type { Database } from "./sqlite/database/Database.ts"
import type { sqlite } from "./sqlite/Sqlite.ts"
import { tenantHandlers } from "./tenants/Tenants.ts"

export type Stores = Exclude<Layer.Success<ReturnType<typeof sqlite>>, Database>

/** The engine on a cluster. This is the only line that does not compile without its folder. */
export const clusterEngine: Effect.Effect<ClusterEngine<Stores>> = Effect.promise(
  async () => (await import("./opensearch/OpenSearch.ts")).openSearchEngine
)

export const Services = Layer.merge(Authorization.layer, Quota.layer)

/** The operations of the API, over the stores of any engine. */
export const operationHandlers = Effect.map(
  Effect.all({
    credentials: credentialHandlers,
    events: eventHandlers,
    identifiers: identifierHandlers,
    identifierGroups: identifierGroupHandlers,
    recommendations: recommendationHandlers,
    matchingPolicies: policyHandlers,
    reports: reportHandlers,
    tenants: tenantHandlers,
    intel: intelHandlers
  }),
  (handlers): OperationHandlers => handlers
)

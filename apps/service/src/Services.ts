import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Authorization } from "./access/Authorization.ts"
import type { ClusterEngine } from "./ClusterEngine.ts"
import { Credentials } from "./credentials/Credentials.ts"
import { Events } from "./events/Events.ts"
import { Identifiers } from "./identifiers/Identifiers.ts"
import { Intel } from "./intel/Intel.ts"
import { Quota } from "./limits/Quota.ts"
import { MatchingPolicies } from "./matching-policies/MatchingPolicies.ts"
import { Recommendations } from "./recommendations/Recommendations.ts"
import { Reports } from "./reports/Reports.ts"
import type { Database } from "./sqlite/database/Database.ts"
import type { sqlite } from "./sqlite/Sqlite.ts"
import { Tenants } from "./tenants/Tenants.ts"

export type Stores = Exclude<Layer.Success<ReturnType<typeof sqlite>>, Database>

/** The engine on a cluster. This is the only line that does not compile without its folder. */
export const clusterEngine: Effect.Effect<ClusterEngine<Stores>> = Effect.promise(
  async () => (await import("./opensearch/OpenSearch.ts")).openSearchEngine
)

export const Services = Layer.mergeAll(
  Authorization.layer,
  Credentials.layer,
  Events.layer,
  Identifiers.layer,
  Intel.layer,
  MatchingPolicies.layer,
  Recommendations.layer,
  Reports.layer,
  Tenants.layer
).pipe(Layer.provideMerge(Quota.layer))

/** Every service of the API as one layer, over the stores of either engine. */
import * as Layer from "effect/Layer"
import { Authorization } from "./access/Authorization.ts"
import { Credentials } from "./credentials/Credentials.ts"
import { Events } from "./events/Events.ts"
import { IdentifierGroups } from "./identifier-groups/IdentifierGroups.ts"
import { Identifiers } from "./identifiers/Identifiers.ts"
import { Intel } from "./intel/Intel.ts"
import { Quota } from "./limits/Quota.ts"
import { MatchingPolicies } from "./matching-policies/MatchingPolicies.ts"
import type { openSearch } from "./opensearch/OpenSearch.ts"
import { Recommendations } from "./recommendations/Recommendations.ts"
import { Reports } from "./reports/Reports.ts"
import type { sqlite } from "./sqlite/Sqlite.ts"
import { Tenants } from "./tenants/Tenants.ts"

/** What both engines provide. */
export type Stores = Extract<Layer.Success<ReturnType<typeof sqlite>>, Layer.Success<ReturnType<typeof openSearch>>>

export const Services = Layer.mergeAll(
  Authorization.layer,
  Credentials.layer,
  Events.layer,
  IdentifierGroups.layer,
  Identifiers.layer,
  Intel.layer,
  MatchingPolicies.layer,
  Recommendations.layer,
  Reports.layer,
  Tenants.layer
).pipe(Layer.provideMerge(Quota.layer))

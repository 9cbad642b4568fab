import * as Layer from "effect/Layer"
import { ApiClient } from "./ApiClient.ts"
import type { ClientOptions, UncheckedOptions } from "./ClientOptions.ts"
import { Credentials } from "./Credentials.ts"
import { Events } from "./Events.ts"
import { IdentifierGroups } from "./IdentifierGroups.ts"
import { Identifiers } from "./Identifiers.ts"
import { Intel } from "./Intel.ts"
import { MatchingPolicies } from "./MatchingPolicies.ts"
import { Recommendations } from "./Recommendations.ts"
import { Reports } from "./Reports.ts"
import { Tenants } from "./Tenants.ts"

export const services = {
  credentials: Credentials,
  events: Events,
  identifiers: Identifiers,
  identifierGroups: IdentifierGroups,
  recommendations: Recommendations,
  matchingPolicies: MatchingPolicies,
  reports: Reports,
  tenants: Tenants,
  intel: Intel
} as const

const all = Layer.mergeAll(
  Credentials.layer,
  Events.layer,
  Identifiers.layer,
  IdentifierGroups.layer,
  Recommendations.layer,
  MatchingPolicies.layer,
  Reports.layer,
  Tenants.layer,
  Intel.layer
)

/** All services, with the `HttpClient` in the context. */
export const layerNoDeps = (options: ClientOptions) => Layer.provideMerge(all, ApiClient.layerNoDeps(options))

/** All services, with the given `fetch` or the global one. */
export const layer = (options: ClientOptions) => layerUnchecked(options)

/** {@link layer} for options that were read at run time. Fails unless there is exactly one way to authenticate. */
export const layerUnchecked = (options: UncheckedOptions) => Layer.provideMerge(all, ApiClient.layer(options))

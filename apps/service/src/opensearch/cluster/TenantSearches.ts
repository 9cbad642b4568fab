/** Searches of tenants: each has a time limit, and a tenant with many searches leaves capacity for the others. */
import * as Effect from "effect/Effect"
import { TenantQueue } from "./TenantQueue.ts"
import { SearchTimedOut } from "../../requests/StoreUnavailable.ts"
import { Settings } from "../../Settings.ts"

export interface TenantSearches {
  /** The time limit in OpenSearch's format. */
  readonly timeout: string
  /** A search that takes a node a few milliseconds. */
  quick<A, E, R>(tenantId: number, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** A search that may take long: a large page, or one of events. */
  long<A, E, R>(tenantId: number, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
}

export const tenantSearches: Effect.Effect<TenantSearches> = Effect.map(Settings, ({ searchTimeLimit: limit }) => {
  const limitTime = <A, E, R>(search: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(search, { duration: limit, orElse: () => Effect.die(new SearchTimedOut({ limit })) })
  return {
    timeout: `${Math.ceil(limit)}ms`,
    quick: (tenantId, search) => quick.run(tenantId, limitTime(search)),
    long: (tenantId, search) => long.run(tenantId, limitTime(search))
  }
})

/** Shared by all stores. Quick searches are sent together, so few calls carry many of them. */
const quick = new TenantQueue({ maxRunning: 1_000, maxRunningOfTenant: 100 })

/** A node has three search threads per two processors, and a search uses one per shard. */
const long = new TenantQueue({ maxRunning: 8, maxRunningOfTenant: 2 })

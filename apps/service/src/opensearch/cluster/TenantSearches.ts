/** The searches of tenants: each has a time limit, and a tenant with many of them leaves room for the others. */
import * as Effect from "effect/Effect"
import { TenantQueue } from "../../limits/TenantQueue.ts"
import { SearchTimedOut } from "../../requests/StoreUnavailable.ts"
import { Settings } from "../../Settings.ts"

export interface TenantSearches {
  /** The time limit as nodes take it. */
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

/** All stores share them. Quick searches are sent together, so that few calls carry many of them. */
const quick = new TenantQueue({ maxRunning: 1_000, maxRunningOfTenant: 100 })

/** A node has three threads for searches to two processors, and a search takes one for each shard. */
const long = new TenantQueue({ maxRunning: 8, maxRunningOfTenant: 2 })

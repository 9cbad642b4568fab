/** Searches of tenants: each has a time limit, and a tenant with many searches leaves capacity for the others. */
import * as Effect from "effect/Effect"
import { TenantQueue } from "./TenantQueue.ts"
import { SearchTimedOut } from "../../requests/StoreUnavailable.ts"
import { Settings } from "../../Settings.ts"

export interface TenantSearches {
  readonly limit: SearchLimit
  /** A search that takes a node a few milliseconds. */
  quick<A, E, R>(tenantId: number, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** A search that may take long: a large page, or one of events. */
  long<A, E, R>(tenantId: number, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** A long search that applies the limit itself. */
  limited<A, E, R>(tenantId: number, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
}

/** The time limit of a search. */
export class SearchLimit {
  readonly milliseconds: number

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds
  }

  /** In OpenSearch's format. */
  get timeout(): string {
    return `${Math.ceil(this.milliseconds)}ms`
  }

  readonly applyTo = <A, E, R>(search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.timeoutOrElse(search, {
      duration: this.milliseconds,
      orElse: () => Effect.die(new SearchTimedOut({ limit: this.milliseconds }))
    })
}

export const tenantSearches: Effect.Effect<TenantSearches> = Effect.map(Settings, ({ searchTimeLimit }) => {
  const limit = new SearchLimit(searchTimeLimit)
  return {
    limit,
    quick: (tenantId, search) => quick.run(tenantId, limit.applyTo(search)),
    long: (tenantId, search) => long.run(tenantId, limit.applyTo(search)),
    limited: (tenantId, search) => long.run(tenantId, search)
  }
})

/** Shared by all stores. Quick searches are sent together, so few calls carry many of them. */
const quick = new TenantQueue({ maxRunning: 1_000, maxRunningOfTenant: 100 })

/** A node has three search threads per two processors, and a search uses one per shard. */
const long = new TenantQueue({ maxRunning: 8, maxRunningOfTenant: 2 })

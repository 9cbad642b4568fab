import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../requests/StoreUnavailable.ts"

/** The health of the stores, and the metrics of their engine. Each engine has a layer of it. */
export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Really reads and writes, at most once a second. Fails if a request would fail, or after `readyWithin`. */
    readonly ready: Effect.Effect<void, StoreUnavailable>
    /**
     * Runs the work of a request that began at this time of `performance.now`. Fails with `StoreUnavailable` at the
     * engine's time limit.
     */
    within<A, E, R>(startedAt: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** The names of records that another program wrote, and that were left out. */
    readonly foreign: () => ReadonlyArray<string>
    readonly gauges: ReadonlyArray<{ readonly name: string; readonly help: string; readonly read: () => number }>
  }
>()("@threat-exposure/service/observability/StoreHealth") {}

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../requests/StoreUnavailable.ts"

/** The health of the stores, and the metrics of their engine. Each engine has a layer of it. */
export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Reads and writes for real, at most once a second: fails where a request would, or after `readyWithin`. */
    readonly ready: Effect.Effect<void, StoreUnavailable>
    /** The work of a request that began at this time of `performance.now`: unavailable once the engine's limit has passed. */
    within<A, E, R>(startedAt: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** The names of records that somebody else wrote, and that were left out. */
    readonly foreign: () => ReadonlyArray<string>
    readonly gauges: ReadonlyArray<{ readonly name: string; readonly help: string; readonly read: () => number }>
  }
>()("@threat-exposure/service/observability/StoreHealth") {}

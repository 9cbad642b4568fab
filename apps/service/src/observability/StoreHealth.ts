import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../requests/StoreUnavailable.ts"

export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Really reads and writes, at most once a second. Fails if a request would fail, or after `readyWithin`. */
    readonly ready: Effect.Effect<void, StoreUnavailable>
    /** Fails with `StoreUnavailable` at the engine's time limit, counted from `startedAt` (`performance.now`). */
    within<A, E, R>(startedAt: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** The names of records that another program wrote, and that were left out. */
    readonly foreign: () => ReadonlyArray<string>
    readonly gauges: ReadonlyArray<{ readonly name: string; readonly help: string; readonly read: () => number }>
  }
>()("@threat-exposure/service/observability/StoreHealth") {}

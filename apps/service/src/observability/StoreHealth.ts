import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../requests/StoreUnavailable.ts"

/** Whether the stores can work, and what their engine measures of itself. Each engine has a layer of it. */
export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Reads and writes for real, at most once a second: fails where a request would. */
    readonly ready: Effect.Effect<void, StoreUnavailable>
    readonly gauges: ReadonlyArray<{ readonly name: string; readonly help: string; readonly read: () => number }>
  }
>()("@threat-exposure/service/observability/StoreHealth") {}

import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"

/**
 * Completes work that a service started but did not finish, because it was killed or the cluster was unavailable: when
 * a service starts, and every five seconds until the scope closes. Several services do it at the same time.
 */
export const completing = (work: Effect.Effect<void>) =>
  work.pipe(
    // The next round comes soon, and requests report a cluster that is unavailable.
    Effect.catchDefect((defect) => (defect instanceof StoreUnavailable ? Effect.void : Effect.die(defect))),
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )

/** Milliseconds. A request that began before is over. */
export const longestRequest = 60_000

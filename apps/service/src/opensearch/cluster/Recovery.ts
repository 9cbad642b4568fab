/** Completes work that a service began and did not end, because it was killed or the cluster was unavailable. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"

/** Runs the recovery when a service starts, and every five seconds until the scope closes. Several services run it at the same time. */
export const repeatRecovery = (recovery: Effect.Effect<void>) =>
  recovery.pipe(
    // The next round comes soon, and requests report a cluster that is unavailable.
    Effect.catchDefect((defect) => (defect instanceof StoreUnavailable ? Effect.void : Effect.die(defect))),
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )

/** Milliseconds after which a request that began is over. */
export const requestOverAfter = 60_000

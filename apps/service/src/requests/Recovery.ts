/** Completes work that a service began and did not end, because it was killed or the store was unavailable. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Runs the recovery when a service starts, and every five seconds until the scope closes. Several services run it at the same time. */
export const repeatRecovery = (recovery: Effect.Effect<void>) =>
  recovery.pipe(
    Effect.catchCause((cause) =>
      // Requests report a store that is unavailable.
      Cause.squash(cause) instanceof StoreUnavailable
        ? Effect.void
        : Effect.logWarning("Unfinished work could not be completed; it is tried again in five seconds", cause)
    ),
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )

/** Milliseconds after which a request that began is over. */
export const requestOverAfter = 60_000

/** Completes work that a service began and did not end, because it was killed or the store was unavailable. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Runs the recovery when a service starts, and every five seconds until the scope closes. Several services run it at the same time. */
export const repeatRecovery = (recovery: Effect.Effect<void>) =>
  recovery.pipe(Effect.catchCause(logFailure), Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)

/** Returns whether one of several pieces of work is complete: the failure of one tenant's work holds up no other. */
export const tryToComplete = (work: Effect.Effect<unknown>): Effect.Effect<boolean> =>
  work.pipe(
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(logFailure(cause), false))
  )

/** Requests report a store that is unavailable. */
const logFailure = (cause: Cause.Cause<never>) =>
  Cause.squash(cause) instanceof StoreUnavailable
    ? Effect.void
    : Effect.logWarning("Unfinished work could not be completed; it is tried again in five seconds", cause)

/** Milliseconds after which a request that began is over. */
export const requestOverAfter = 60_000

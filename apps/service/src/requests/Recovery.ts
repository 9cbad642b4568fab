import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Runs at the start, and then every five seconds. Several services may run it at the same time. */
export const repeatRecovery = (recovery: Effect.Effect<void>) =>
  recovery.pipe(Effect.catchCause(logFirstFailure), Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)

/** Continues after a failure, so that a fault in the data of one tenant does not delay the others. */
export const attemptAll = <Piece>(
  pieces: Iterable<Piece>,
  work: (piece: Piece) => Effect.Effect<unknown>,
  options?: { readonly concurrency: number }
): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.forEach(pieces, (piece) => Effect.exit(work(piece)), options),
    Exit.asVoidAll
  )

/** Ignores an unavailable store, because requests report it. */
const logFirstFailure = (cause: Cause.Cause<never>) => {
  const first = cause.reasons.find(
    (reason) => !(Cause.isDieReason(reason) && reason.defect instanceof StoreUnavailable)
  )
  return first === undefined
    ? Effect.void
    : Effect.logWarning(
        "Unfinished work could not be completed; it is tried again in five seconds",
        Cause.fromReasons([first])
      )
}

/** ISO 8601. All requests that began before this time have ended. */
export const requestsOverUntil = Effect.map(DateTime.now, (now) =>
  DateTime.formatIso(DateTime.subtract(now, { minutes: 1 }))
)

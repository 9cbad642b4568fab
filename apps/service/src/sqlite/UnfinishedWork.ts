/** Work in many short transactions, each of which begins where the last one ended. Several services may do the same work. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Database } from "./database/Database.ts"
import type { Procedure } from "./database/Procedure.ts"

/** Repeats a step until it returns that nothing is left. */
export const repeatStep = Effect.fnUntraced(function* (
  write: Database["Service"]["write"],
  step: Procedure<number, boolean>,
  id: number
) {
  while (!(yield* write(step, id))) yield* Effect.yieldNow
})

/**
 * Completes what a service that was killed, or an aborted request, left: at the start, and every five seconds until the scope
 * closes. `failure` is the warning for work that fails, which is tried again.
 */
export const repeatRecovery = <E, R>(recovery: Effect.Effect<void, E, R>, failure: string) =>
  recovery.pipe(
    Effect.catchCause((cause) => Effect.logWarning(failure, cause)),
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )

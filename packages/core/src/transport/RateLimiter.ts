/** The client's own rate limit. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/**
 * Lets callers through in their order, at most `rate` per second and evenly spaced. A caller that is interrupted while it
 * waits leaves the queue and takes no slot; the limiters of `effect/persistence` take one before the wait and keep it.
 */
export const makeRateLimiter = (rate: number | undefined): Effect.Effect<void> => {
  if (rate === undefined) return Effect.void
  const gap = 1000 / rate
  const queue = Semaphore.makeUnsafe(1)
  let next = 0
  return queue.withPermit(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (next > now) yield* Effect.sleep(next - now)
      next = Math.max(now, next) + gap
    })
  )
}

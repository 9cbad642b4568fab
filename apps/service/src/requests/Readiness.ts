import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { monotonicNow } from "../MonotonicTime.ts"

/** Milliseconds: a monitor gets the reason before it gives up. */
export const readyWithin = 2_000

/** Caches the result of a check for a second, even if the machine's clock is set back. */
export const repeatedEachSecond = <A, E>(check: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> =>
  Effect.suspend(() => {
    let endedAt: number | undefined
    const noted = Effect.ensuring(
      check,
      Effect.sync(() => {
        endedAt = monotonicNow()
      })
    )
    return Effect.map(Effect.cachedInvalidateWithTTL(noted, Duration.infinity), ([cached, invalidate]) =>
      Effect.suspend(() => {
        if (endedAt === undefined || monotonicNow() - endedAt < 1_000) return cached
        endedAt = undefined
        return Effect.andThen(invalidate, cached)
      })
    )
  })

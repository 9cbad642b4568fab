/** Measures how much time passes. The time of day does not: the clock of a machine can be set while a program runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since an arbitrary moment. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)

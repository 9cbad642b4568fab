/** Measures elapsed time. The system clock is not suitable, because it may be set while a program runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since an arbitrary moment. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)

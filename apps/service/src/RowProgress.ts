import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export type RowProgress = (progress: { readonly done: number; readonly total: number }) => Effect.Effect<void>

/** Writes the progress to standard error at once, and then every two seconds. */
export const progressLines = (what: string): RowProgress => {
  let next = 0
  return ({ done, total }) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now < next) return Effect.void
      next = now + 2_000
      return Console.error(`${what}: ${done.toLocaleString("en-GB")} of ${total.toLocaleString("en-GB")} rows`)
    })
}

import * as Effect from "effect/Effect"

/** Repeats a step until it returns true, when no work is left. */
export const repeatStep = Effect.fnUntraced(function* (step: Effect.Effect<boolean>) {
  while (!(yield* step)) yield* Effect.yieldNow
})

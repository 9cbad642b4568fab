import * as Effect from "effect/Effect"
import type { Database } from "./database/Database.ts"
import type { Procedure } from "./database/Procedure.ts"

/** Repeats a step until it returns true, when no work is left. */
export const repeatStep = Effect.fnUntraced(function* (
  write: Database["Service"]["write"],
  step: Procedure<number, boolean>,
  id: number
) {
  while (!(yield* write(step, id))) yield* Effect.yieldNow
})

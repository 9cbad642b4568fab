/** Asks for something until it is finished, less and less often. */
import { Effect } from "effect"

const firstPauseSeconds = 2
const maxPauseSeconds = 60

/** About an hour. */
const maxAttempts = 64

/** Undefined if it is not finished after {@link maxAttempts}. */
export const pollUntil = Effect.fnUntraced(function* <A, E, R>(
  get: Effect.Effect<A, E, R>,
  isFinished: (value: A) => boolean
) {
  let pause = firstPauseSeconds
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const value = yield* get
    if (isFinished(value)) return value
    yield* Effect.sleep(`${pause} seconds`)
    pause = Math.min(maxPauseSeconds, pause * 2)
  }
  return undefined
})

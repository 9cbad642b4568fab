/** Polls until a result is finished, with increasing pauses. */
import { Effect } from "effect"
import { Editor } from "../editor/Editor.ts"
import { type Failure, NotPossible, type Problem, problemOf } from "../editor/Problem.ts"
import { t } from "../words/Localisation.ts"

const firstPauseSeconds = 2
const maxPauseSeconds = 60

/** Maximum number of requests, which take about an hour. */
const maxAttempts = 64

/** States in which a later request may succeed. */
const passing: ReadonlySet<Problem["state"]> = new Set(["offline", "outOfOrder", "rateLimited", "slow"])

/** States that need no message, because the person ended the work. */
const ended: ReadonlySet<Problem["state"]> = new Set(["signedOut", "stopped"])

/** Returns undefined if polling fails; `describe` converts the reason into the message for the person. */
export const follow = <A>(
  name: string,
  get: Effect.Effect<A, Failure>,
  isFinished: (value: A) => boolean,
  describe: (reason: string) => string
): Effect.Effect<A | undefined, never, Editor> =>
  pollUntil(get, isFinished).pipe(
    Effect.catch(
      Effect.fnUntraced(function* (failure) {
        const editor = yield* Editor
        yield* editor.log("warn", `${name}: ${failure._tag}: ${failure.message}`)
        const { message, state } = problemOf(failure)
        if (!ended.has(state)) yield* Effect.forkDetach(editor.notify("error", describe(message)))
        return undefined
      })
    )
  )

const pollUntil = Effect.fnUntraced(function* <A>(
  get: Effect.Effect<A, Failure>,
  isFinished: (value: A) => boolean
): Effect.fn.Return<A, Failure> {
  let pause = firstPauseSeconds
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const outcome = yield* Effect.result(get)
    if (outcome._tag === "Success" && isFinished(outcome.success)) return outcome.success
    if (outcome._tag === "Failure" && !passing.has(problemOf(outcome.failure).state))
      return yield* Effect.fail(outcome.failure)
    yield* Effect.sleep(`${pause} seconds`)
    pause = Math.min(maxPauseSeconds, pause * 2)
  }
  return yield* new NotPossible({ message: t("It was not finished within an hour.") })
})

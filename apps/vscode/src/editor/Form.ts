/** Questions asked one after the other, each with its number and a way back to the one before. */
import { Effect } from "effect"
import type { Cancelled, Step } from "./Editor.ts"

export interface FormStep<A> {
  /** Whether the answers so far make the question necessary; always, where it is not given. */
  readonly isAsked?: (answers: A) => boolean
  /** Asks with the answers given so far, so that a question that is asked again offers its own. */
  readonly ask: (answers: A, step: Step) => Effect.Effect<A, Cancelled>
}

export const form = Effect.fnUntraced(function* <A>(
  steps: ReadonlyArray<FormStep<A>>,
  empty: A
): Effect.fn.Return<A, Cancelled> {
  let answers = empty
  for (let number = 1; ;) {
    const asked = steps.filter(({ isAsked }) => isAsked?.(answers) ?? true)
    const step = asked[number - 1]
    if (step === undefined) return answers
    const next = yield* step.ask(answers, { number, total: asked.length }).pipe(
      Effect.catchIf(
        ({ isBack }) => isBack === true && number > 1,
        () => Effect.succeed(undefined)
      )
    )
    if (next !== undefined) answers = next
    number += next === undefined ? -1 : 1
  }
})

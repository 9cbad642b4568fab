/** A sequence of questions, each with its number and a way back to the previous one. */
import { Effect, Option } from "effect"
import { t } from "../../words/Localisation.ts"
import { Cancelled, type Choice, type Editor, type Question, type Step, type TextQuestion } from "../Editor.ts"
import { type Failure, problemOf } from "../Problem.ts"

export interface FormStep<A, E = never> {
  /** Whether the answers so far make this question necessary. Default: always. */
  readonly isAsked?: ((answers: A) => boolean) | undefined
  /**
   * Asks with the answers so far, so that a repeated question offers its earlier answer. Pressing Back keeps the
   * answers that were last passed to `keep` while the person typed or chose.
   */
  readonly ask: (answers: A, step: Step, keep: (answers: A) => void) => Effect.Effect<A, Cancelled | E>
}

/** `before` is the number of questions that a surrounding form has asked; Back in the first question leads to them. */
export const form = Effect.fnUntraced(function* <A, E = never>(
  steps: ReadonlyArray<FormStep<A, E>>,
  empty: A,
  before = 0
): Effect.fn.Return<A, Cancelled | E> {
  let answers = empty
  for (let number = 1; ;) {
    const asked = steps.filter(({ isAsked }) => isAsked?.(answers) ?? true)
    const step = asked[number - 1]
    if (step === undefined) return answers
    let kept = answers
    const keep = (typed: A) => {
      kept = typed
    }
    const next = yield* step.ask(answers, { number: before + number, total: before + asked.length }, keep).pipe(
      Effect.catchIf(
        (failure) => Cancelled.is(failure) && failure.isBack === true && number > 1,
        () => Effect.succeed(undefined)
      )
    )
    answers = next ?? kept
    number += next === undefined ? -1 : 1
  }
})

/**
 * Asks, and sends the answers. If the service refuses them, says why, and offers to ask again: `refused` are the answers
 * then.
 */
export const submit = Effect.fnUntraced(function* <A, B, R>(
  editor: Editor["Service"],
  ask: (refused: A | undefined) => Effect.Effect<A, Cancelled>,
  send: (answers: A) => Effect.Effect<B, Cancelled | Failure, R>
): Effect.fn.Return<B, Cancelled | Failure, R> {
  let refused: A | undefined
  for (;;) {
    const answers = yield* ask(refused)
    const sent = yield* send(answers).pipe(
      Effect.map(Option.some),
      Effect.catchTag("ValidationFailed", (failure) =>
        Effect.gen(function* () {
          yield* editor.log("error", `${failure._tag}: ${failure.message}`)
          const pressed = yield* editor.notify("error", problemOf(failure).message, t("Change the Answers…"))
          return Option.isSome(pressed) ? Option.none<B>() : yield* new Cancelled({})
        })
      )
    )
    if (Option.isSome(sent)) return sent.value
    refused = answers
  }
})

interface Asking<A> {
  readonly isAsked?: (answers: A) => boolean
}

interface Choosing<A, Value> extends Asking<A> {
  readonly choices: (answers: A) => ReadonlyArray<Choice<Value>>
  readonly question?: (answers: A) => Partial<Question>
}

/** Builders for the kinds of questions: `get` returns the earlier answer, `set` stores a new one. */
export const stepsOf = <A>(editor: Editor["Service"], title: string) => ({
  text: ({
    isAsked,
    question,
    set
  }: Asking<A> & {
    readonly question: (answers: A) => Partial<TextQuestion>
    readonly set: (answers: A, text: string) => A
  }): FormStep<A> => ({
    isAsked,
    ask: (answers, step, keep) =>
      Effect.map(editor.ask({ title, step, ...question(answers), typed: (text) => keep(set(answers, text)) }), (text) =>
        set(answers, text)
      )
  }),
  pick: <Value>({
    choices,
    get,
    isAsked,
    question,
    set
  }: Choosing<A, Value> & {
    readonly get: (answers: A) => Value | undefined
    readonly set: (answers: A, value: Value) => A
  }): FormStep<A> => ({
    isAsked,
    ask: (answers, step) =>
      Effect.map(
        editor.pick(markChosen(choices(answers), [get(answers)]), { title, step, ...question?.(answers) }),
        (value) => set(answers, value)
      )
  }),
  pickMany: <Value>({
    choices,
    get,
    isAsked,
    question,
    set
  }: Choosing<A, Value> & {
    readonly get: (answers: A) => ReadonlyArray<Value>
    readonly set: (answers: A, values: ReadonlyArray<Value>) => A
  }): FormStep<A> => ({
    isAsked,
    ask: (answers, step, keep) =>
      Effect.map(
        editor.pickMany(markChosen(choices(answers), get(answers)), {
          title,
          step,
          ...question?.(answers),
          chosen: (values) => keep(set(answers, values))
        }),
        (values) => set(answers, values)
      )
  })
})

const markChosen = <Value>(choices: ReadonlyArray<Choice<Value>>, chosen: ReadonlyArray<Value | undefined>) =>
  choices.map((choice): Choice<Value> => Object.assign({}, choice, { picked: chosen.includes(choice.value) }))

/** Embeds the steps of a form in a larger form. */
export const within = <A, B>(
  steps: ReadonlyArray<FormStep<B>>,
  { get, isAsked, set }: Asking<A> & { readonly get: (answers: A) => B; readonly set: (answers: A, part: B) => A }
): ReadonlyArray<FormStep<A>> =>
  steps.map((each) => ({
    isAsked: (answers) => (isAsked?.(answers) ?? true) && (each.isAsked?.(get(answers)) ?? true),
    ask: (answers, step, keep) =>
      Effect.map(
        each.ask(get(answers), step, (part) => keep(set(answers, part))),
        (part) => set(answers, part)
      )
  }))

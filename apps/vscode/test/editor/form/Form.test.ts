import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Cancelled, Editor } from "../../../src/editor/Editor.ts"
import { form, type FormStep, stepsOf, within } from "../../../src/editor/form/Form.ts"
import { back, EditorDouble } from "../../EditorDouble.ts"

interface Answers {
  readonly name: string
  readonly places: ReadonlyArray<string>
  readonly size: string
}

const stepsIn = (editor: Editor["Service"]): ReadonlyArray<FormStep<Answers>> => {
  const { pick, pickMany, text } = stepsOf<Answers>(editor, "A form")
  return [
    text({ question: ({ name }) => ({ prompt: "Name", value: name }), set: (answers, name) => ({ ...answers, name }) }),
    pickMany<string>({
      isAsked: ({ name }) => name !== "nowhere",
      choices: () => ["web", "forum", "paste"].map((label) => ({ label, value: label })),
      get: ({ places }) => places,
      set: (answers, places) => ({ ...answers, places })
    }),
    pick<string>({
      choices: () => ["small", "large"].map((label) => ({ label, value: label })),
      get: ({ size }) => size,
      set: (answers, size) => ({ ...answers, size })
    }),
    text({ question: ({ name }) => ({ prompt: "Again", value: name }), set: (answers) => answers })
  ]
}

const empty: Answers = { name: "", places: [], size: "small" }

const answeredWith = Effect.fnUntraced(function* (...answers: ReadonlyArray<string>) {
  const editor = new EditorDouble()
  editor.answers.push(...answers)
  const ended = yield* Effect.flatMap(Editor, (service) => Effect.result(form(stepsIn(service), empty))).pipe(
    Effect.provide(editor.layer)
  )
  return { editor, ended }
})

describe("a form", () => {
  it.effect("numbers the questions that its answers make necessary", () =>
    Effect.gen(function* () {
      const { editor } = yield* answeredWith("nowhere", "large", "done")
      assert.deepStrictEqual(
        editor.answered.map(({ step }) => [step?.number, step?.total]),
        [
          [1, 4],
          [2, 3],
          [3, 3]
        ]
      )
    })
  )

  it.effect("keeps what was typed and chosen when the user goes back before answering", () =>
    Effect.gen(function* () {
      const { editor, ended } = yield* answeredWith(
        "shop",
        `web|paste${back}`,
        "orchard",
        "web|paste",
        "large",
        back,
        "large",
        "done"
      )
      assert.deepStrictEqual(
        editor.answered.map(({ answer, before }) => [before, answer]),
        [
          ["", "shop"],
          ["shop", "orchard"],
          ["web|paste", "web|paste"],
          ["small", "large"],
          ["large", "large"],
          ["orchard", "done"]
        ]
      )
      assert.deepStrictEqual(ended._tag === "Success" ? ended.success : undefined, {
        name: "orchard",
        places: ["web", "paste"],
        size: "large"
      })
    })
  )

  it.effect("ends with Escape, and has no Back at its first question", () =>
    Effect.gen(function* () {
      for (const answers of [[], [back], ["shop"], ["shop", back, back]]) {
        const { ended } = yield* answeredWith(...answers)
        assert.isTrue(ended._tag === "Failure" && Cancelled.is(ended.failure), answers.join())
      }
    })
  )

  it.effect("continues the numbers of the form that it is a part of", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      editor.answers.push("first", `typed${back}`, "first again", "second")
      const answers = yield* Effect.flatMap(Editor, (service) => {
        const { text } = stepsOf<string>(service, "A part")
        const part = [
          text({ question: (value) => ({ value }), set: (_, value) => value }),
          text({ question: (value) => ({ value }), set: (before, value) => `${before} and ${value}` })
        ]
        return form(
          within<{ readonly part: string }, string>(part, {
            get: (whole) => whole.part,
            set: (_, next) => ({ part: next })
          }),
          { part: "" },
          2
        )
      }).pipe(Effect.provide(editor.layer))
      assert.deepStrictEqual(answers, { part: "first again and second" })
      assert.deepStrictEqual(
        editor.answered.map(({ step }) => [step?.number, step?.total]),
        [
          [3, 4],
          [3, 4],
          [4, 4]
        ]
      )
    })
  )
})

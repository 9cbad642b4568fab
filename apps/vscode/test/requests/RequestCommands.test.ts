import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { whileTimePasses, served, started } from "../Running.ts"

describe("a request", () => {
  it.effect("is sent once, and what was typed is kept until it has been answered", () =>
    Effect.gen(function* () {
      let isUp = false
      const { asked } = yield* served(() => (isUp ? { status: 200, body: { request_id: "r-1" } } : undefined))
      const editor = new EditorDouble()
      yield* started(editor, true)
      const ask = whileTimePasses(editor.commands.get("askIntel")?.() ?? Effect.void)
      const question = "Who sells access to example.com?"
      editor.answers.push(question)
      yield* ask
      assert.deepStrictEqual(asked, [])
      editor.answers.push(question, "short")
      yield* ask
      assert.strictEqual(asked.length, 1)
      assert.include(
        editor.told.join("\n"),
        "The service cannot be reached. The change may have been made all the same"
      )
      isUp = true
      editor.asked.length = 0
      editor.answers.push(question, "short")
      yield* ask
      assert.deepStrictEqual(
        editor.asked.map(({ value }) => value),
        [question, "short"]
      )
      assert.strictEqual(editor.clipboard, "r-1")
      editor.asked.length = 0
      editor.answers.push("Another?", "analytical")
      yield* ask
      assert.deepStrictEqual(
        editor.asked.map(({ value }) => value),
        [undefined, "analytical"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("accepts numbers in decimal digits only", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => ({ status: 200, body: "" }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      for (const wrong of ["0x10", "1e3", "-1", "1.0", ","]) {
        editor.answers.splice(0, Infinity, "1", wrong, "viewer", "Read-only access", "Add")
        yield* whileTimePasses(editor.commands.get("addUsers")?.() ?? Effect.void)
        assert.deepStrictEqual(asked, [], wrong)
      }
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { type Answer, whileTimePasses, served, started } from "../Running.ts"

const signingIn = Effect.fnUntraced(function* (
  answer: Answer,
  more: Partial<Pick<EditorDouble, "answers" | "presses">>
) {
  const { asked } = yield* served(answer)
  const editor = new EditorDouble()
  yield* started(editor, false)
  editor.answers.push("https://api.example.com", "svc", "Access token", "ours", "a-token", ...(more.answers ?? []))
  editor.presses.push(...(more.presses ?? []))
  yield* whileTimePasses(editor.commands.get("signIn")?.() ?? Effect.void)
  return { asked, editor }
})

const nothing = { status: 200, body: { items: [], next: null } }

describe("signing in", () => {
  it.effect("tries again with what was given, where it was the service that failed", () =>
    Effect.gen(function* () {
      let failures = 2
      const { editor } = yield* signingIn(() => (failures-- > 0 ? { status: 503, body: "" } : nothing), {
        presses: ["Try Again", "Try Again"]
      })
      assert.include(editor.status?.text ?? "", "ours")
      assert.strictEqual(editor.secrets.get("threatExposure.secret.ours"), "a-token")
      assert.deepStrictEqual(editor.answers, [])
    }).pipe(Effect.scoped)
  )

  it.effect("asks for another address where there is no such service, and keeps the rest", () =>
    Effect.gen(function* () {
      const { editor, asked } = yield* signingIn(
        (path) => (path.startsWith("/deep/") ? nothing : { status: 404, body: "not here" }),
        { presses: ["Change the Address"], answers: ["https://api.example.com/deep", "svc", "Access token", "ours"] }
      )
      assert.include(editor.told.join(), "No service found at https://api.example.com under “svc”")
      assert.include(editor.status?.text ?? "", "ours")
      assert.isTrue(asked.at(-1)?.startsWith("/deep/svc/"))
      assert.deepStrictEqual(editor.answers, [])
    }).pipe(Effect.scoped)
  )

  it.effect("asks for another token where it was refused, and stores none that was", () =>
    Effect.gen(function* () {
      const { editor } = yield* signingIn(() => ({ status: 401, body: "" }), { presses: ["Try Again"] })
      assert.include(editor.told.join(), "The service refused this token or key.")
      assert.strictEqual(editor.secrets.size, 0)
      assert.include(editor.status?.text ?? "", "Sign In")
    }).pipe(Effect.scoped)
  )
})

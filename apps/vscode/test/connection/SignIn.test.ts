import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { FindProgram } from "../../src/connection/SignIn.ts"
import { back, EditorDouble } from "../EditorDouble.ts"
import { type Answer, whileTimePasses, served, started } from "../Running.ts"

const signingIn = Effect.fnUntraced(function* (
  answer: Answer,
  more: Partial<Pick<EditorDouble, "answers" | "presses">>
) {
  const { asked } = yield* served(answer)
  const editor = new EditorDouble()
  yield* started(editor, false)
  editor.answers.push("https://api.example.com", "Access token", "a-token", ...(more.answers ?? []))
  editor.presses.push(...(more.presses ?? []))
  yield* whileTimePasses(editor.commands.get("signIn")?.() ?? Effect.void)
  return { asked, editor }
})

const nothing = { status: 200, body: { items: [], next: null } }

describe("signing in", () => {
  it.effect("retries with the same answers if the service failed", () =>
    Effect.gen(function* () {
      let failures = 2
      const { editor } = yield* signingIn(() => (failures-- > 0 ? { status: 503, body: "" } : nothing), {
        presses: ["Try Again", "Try Again"]
      })
      assert.include(editor.status?.text ?? "", "api.example.com")
      const stored = editor.secrets.get("threatExposure.secret.api.example.com")
      assert.strictEqual(stored, "https://api.example.com\na-token")
      assert.deepStrictEqual(editor.answers, [])
    }).pipe(Effect.scoped)
  )

  it.effect("asks for another address if no service is found there, and keeps the other answers", () =>
    Effect.gen(function* () {
      const { editor, asked } = yield* signingIn(
        (path) => (path.startsWith("/deep/") ? nothing : { status: 404, body: "not here" }),
        { presses: ["Change the Address"], answers: ["https://api.example.com/deep", "Access token", "a-token"] }
      )
      assert.include(editor.told.join(), "No service found at https://api.example.com under “svc”")
      assert.include(editor.status?.text ?? "", "api.example.com")
      assert.isTrue(asked.at(-1)?.startsWith("/deep/svc/"))
      assert.deepStrictEqual(editor.answers, [])
    }).pipe(Effect.scoped)
  )

  it.effect("asks for the path prefix only if the service has another one", () =>
    Effect.gen(function* () {
      const { asked, editor } = yield* signingIn(
        (path) => (path.startsWith("/watch/") ? nothing : { status: 404, body: "not here" }),
        { presses: ["Change the Path Prefix"], answers: ["watch"] }
      )
      assert.isTrue(asked.at(-1)?.startsWith("/watch/"))
      assert.deepStrictEqual(editor.settings.get("profiles"), [
        {
          name: "api.example.com",
          baseUrl: "https://api.example.com",
          signInWith: "token",
          pathPrefix: "watch",
          linkField: "watch_url"
        }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("goes back to the previous question, and keeps the answers", () =>
    Effect.gen(function* () {
      yield* served(() => nothing)
      const editor = new EditorDouble()
      yield* started(editor, false)
      editor.answers.push("https://wrong.example.com", back, "https://api.example.com", "API key", back)
      editor.answers.push("Access token", "a-token")
      yield* whileTimePasses(editor.commands.get("signIn")?.() ?? Effect.void)
      assert.deepStrictEqual(
        editor.asked.map(({ step, value }) => [step?.number, step?.total, value]),
        [
          [1, 3, ""],
          [1, 3, "https://wrong.example.com"],
          [3, 3, undefined]
        ]
      )
      assert.include(editor.status?.text ?? "", "api.example.com")
    }).pipe(Effect.scoped)
  )

  it.effect("sends no credentials if a proxy adds them", () =>
    Effect.gen(function* () {
      const authorizations: Array<string | null> = []
      yield* served((_path, _body, headers) => {
        authorizations.push(headers.get("authorization"))
        return nothing
      })
      const editor = new EditorDouble()
      yield* started(editor, false)
      editor.answers.push("https://proxy.example.com", "No credentials")
      yield* whileTimePasses(editor.commands.get("signIn")?.() ?? Effect.void)
      assert.include(editor.status?.text ?? "", "proxy.example.com")
      assert.deepStrictEqual(authorizations, [null])
    }).pipe(Effect.scoped)
  )

  it.effect("renames a profile, or removes it, together with all of its data", () =>
    Effect.gen(function* () {
      const { editor } = yield* signingIn(() => nothing, {})
      const register = { identifiers: [{ id: 7, name: "example.com", origin: "created" }], policies: [], groups: [] }
      editor.memento.set("everywhere register.api.example.com", register)
      editor.answers.push("api.example.com", "ours")
      yield* whileTimePasses(editor.commands.get("profiles.rename")?.() ?? Effect.void)
      assert.include(editor.status?.text ?? "", "ours")
      assert.deepStrictEqual([...editor.secrets], [["threatExposure.secret.ours", "https://api.example.com\na-token"]])
      assert.deepStrictEqual(editor.memento.get("everywhere register.ours"), register)
      assert.isUndefined(editor.memento.get("everywhere register.api.example.com"))
      editor.answers.push("ours", "Remove")
      yield* whileTimePasses(editor.commands.get("profiles.remove")?.() ?? Effect.void)
      assert.deepStrictEqual(editor.settings.get("profiles"), [])
      assert.strictEqual(editor.secrets.size, 0)
      assert.isUndefined(editor.memento.get("everywhere register.ours"))
      assert.include(editor.status?.text ?? "", "Sign In")
    }).pipe(Effect.scoped)
  )

  it.effect("starts a service with sample data where it is installed, or else says how, and signs in to it", () =>
    Effect.gen(function* () {
      yield* served(() => nothing)
      const editor = new EditorDouble()
      yield* started(editor, false)
      const command = "npx @threat-exposure/service serve --sample"
      editor.presses.push("Copy Command")
      yield* whileTimePasses(editor.commands.get("trySample")?.() ?? Effect.void)
      assert.include(editor.told.at(-1) ?? "", `Run ${command} in a terminal`)
      assert.strictEqual(editor.clipboard, command)

      const other = new EditorDouble()
      yield* started(other, false).pipe(Effect.provideService(FindProgram, async (name) => `/usr/bin/${name}`))
      other.presses.push("Sign In")
      other.answers.push("http://127.0.0.1:8787", "Access token", "a-token")
      yield* whileTimePasses(other.commands.get("trySample")?.() ?? Effect.void)
      assert.include(other.told, "terminal Sample Service: /usr/bin/threat-exposure-service serve --sample")
      assert.strictEqual(other.asked[0]?.value, "http://127.0.0.1:8787")
      assert.include(other.status?.text ?? "", "sample")
    }).pipe(Effect.scoped)
  )

  it.effect("provides the accounts of the editor, from which other extensions request a session", () =>
    Effect.gen(function* () {
      yield* served(() => nothing)
      const editor = new EditorDouble()
      yield* started(editor, false)
      const signIn = editor.accounts?.signIn ?? Effect.succeedNone
      assert.deepStrictEqual(yield* whileTimePasses(signIn), Option.none())
      editor.answers.push("https://api.example.com", "Access token", "a-token")
      assert.deepStrictEqual(yield* whileTimePasses(signIn), Option.some("api.example.com"))
      yield* whileTimePasses(editor.accounts?.signOut("api.example.com") ?? Effect.void)
      assert.strictEqual(editor.secrets.size, 0)
      assert.include(editor.status?.text ?? "", "Sign In")
    }).pipe(Effect.scoped)
  )

  it.effect("says in the status bar whether the service answers", () =>
    Effect.gen(function* () {
      let isUp = false
      yield* served(() => (isUp ? nothing : undefined))
      const editor = new EditorDouble()
      yield* started(editor, true)
      assert.include(editor.status?.tooltip ?? "", "not connected yet")
      yield* whileTimePasses(editor.commands.get("testConnection")?.() ?? Effect.void)
      assert.include(editor.status?.tooltip ?? "", "exposure.example.com does not answer")
      assert.include(editor.status?.text ?? "", "$(debug-disconnect)")
      isUp = true
      yield* whileTimePasses(editor.commands.get("testConnection")?.() ?? Effect.void)
      assert.include(editor.status?.tooltip ?? "", "signed in to")
    }).pipe(Effect.scoped)
  )

  it.effect("asks for another token if the token was refused, and never stores a refused one", () =>
    Effect.gen(function* () {
      const { editor } = yield* signingIn(() => ({ status: 401, body: "" }), { presses: ["Try Again"] })
      assert.include(editor.told.join(), "The service refused this token or key.")
      assert.strictEqual(editor.secrets.size, 0)
      assert.include(editor.status?.text ?? "", "Sign In")
    }).pipe(Effect.scoped)
  )
})

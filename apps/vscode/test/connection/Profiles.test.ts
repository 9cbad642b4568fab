import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Profiles } from "../../src/connection/Profiles.ts"
import { Editor } from "../../src/editor/Editor.ts"
import { EditorDouble } from "../EditorDouble.ts"

const [left, right] = [
  { name: "left", baseUrl: "https://left.example.com" },
  { name: "right", baseUrl: "https://right.example.com" }
]

describe("profiles", () => {
  it.effect("sign out of the profile that was just chosen, however slow the editor's storage is", () =>
    Effect.gen(function* () {
      const double = new EditorDouble()
      double.settings.set("profiles", [left, right])
      for (const { name } of [left, right]) double.secrets.set(`threatExposure.secret.${name}`, "a-token-of-the-tests")
      const slow = Layer.effect(
        Editor,
        Effect.map(Editor, (editor) => ({
          ...editor,
          remember: (scope: "everywhere" | "here", key: string, value: unknown) =>
            Effect.andThen(Effect.yieldNow, editor.remember(scope, key, value))
        }))
      ).pipe(Layer.provide(double.layer))
      const now = yield* Effect.gen(function* () {
        const profiles = yield* Profiles
        assert.strictEqual((yield* profiles.now)._tag, "SignedIn")
        yield* Effect.all([profiles.select(right), profiles.signOut()], { concurrency: "unbounded" })
        return yield* profiles.now
      }).pipe(Effect.provide(Profiles.layer.pipe(Layer.provide(slow))))
      assert.deepStrictEqual(now, { _tag: "SignedOut" })
      assert.isFalse(double.secrets.has("threatExposure.secret.right"))
      assert.isTrue(double.secrets.has("threatExposure.secret.left"))
    })
  )

  it.effect(
    "ask to sign in again if the address was changed, also one that an earlier version stored the token for",
    () =>
      Effect.gen(function* () {
        const double = new EditorDouble()
        double.settings.set("profiles", [left, right])
        double.secrets.set("threatExposure.secret.left", "a-token-of-the-tests")
        const start = <A, E>(work: Effect.Effect<A, E, Profiles>) =>
          Effect.provide(work, Layer.fresh(Profiles.layer).pipe(Layer.provide(double.layer)))
        const current = Effect.flatMap(Profiles, ({ current }) => current)
        assert.strictEqual(Redacted.value((yield* start(current)).secret), "a-token-of-the-tests")
        double.settings.set("profiles", [{ ...left, baseUrl: "https://left.example.com/api" }, right])
        assert.strictEqual(Redacted.value((yield* start(current)).secret), "a-token-of-the-tests")
        for (const baseUrl of [
          "https://other.example.com",
          "http://left.example.com",
          "https://left.example.com:8443"
        ]) {
          double.settings.set("profiles", [{ ...left, baseUrl }, right])
          assert.strictEqual((yield* Effect.flip(start(current)))._tag, "SignedOut")
          const all = yield* start(Effect.flatMap(Profiles, ({ all }) => all))
          assert.deepStrictEqual(
            all.map(({ isSignedIn }) => isSignedIn),
            [false, false]
          )
        }
      })
  )

  it.effect("keep invalid entries of the setting when a profile is added", () =>
    Effect.gen(function* () {
      const double = new EditorDouble()
      const mistyped = { name: "left", baseURL: left?.baseUrl }
      double.settings.set("profiles", [mistyped, right])
      yield* Effect.flatMap(Profiles, (profiles) =>
        profiles.signIn({ name: "right", baseUrl: "https://elsewhere.example.com" }, Redacted.make("a-token"))
      ).pipe(Effect.provide(Profiles.layer.pipe(Layer.provide(double.layer))))
      assert.deepStrictEqual(double.settings.get("profiles"), [
        mistyped,
        { name: "right", baseUrl: "https://elsewhere.example.com" }
      ])
    })
  )

  it.effect("leave out an invalid entry of the setting, and say which and why", () =>
    Effect.gen(function* () {
      const double = new EditorDouble()
      double.settings.set("profiles", [{ name: "left" }, right])
      double.secrets.set("threatExposure.secret.right", "a-token-of-the-tests")
      const all = yield* Effect.flatMap(Profiles, (profiles) => profiles.all).pipe(
        Effect.provide(Profiles.layer.pipe(Layer.provide(double.layer)))
      )
      assert.deepStrictEqual(all, [{ profile: right, isSignedIn: true, isGiven: false }])
      assert.match(double.log.join("\n"), /Entry 1 of the setting threatExposure\.profiles .* baseUrl/u)
    })
  )
})

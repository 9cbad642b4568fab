import { assert, describe, it } from "@effect/vitest"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { Effect, Fiber, Layer, Stream } from "effect"
import { Connections } from "../../src/connection/Connections.ts"
import { Profiles } from "../../src/connection/Profiles.ts"
import { Settings } from "../../src/editor/Settings.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { served, timePassesUntil, whileTimePasses, withProfiles } from "../Running.ts"

const anyRequest = Effect.flatMap(Recommendations, (service) => Stream.runHead(service.pages({ size: 1 })))

describe("the connection of a moment", () => {
  it.effect("sends nothing once another profile is chosen, to either of them", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => ({ status: 200, body: { items: [], next: null } }))
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      yield* Effect.gen(function* () {
        const connections = yield* Connections
        const profiles = yield* Profiles
        const { ask, send } = yield* connections.asNow
        yield* whileTimePasses(Effect.orDie(send(anyRequest)))
        assert.lengthOf(asked, 1)
        const after = (yield* profiles.all).find(({ profile }) => profile.name === "after")
        yield* profiles.select(after?.profile ?? assert.fail())
        for (const request of [ask(anyRequest), send(anyRequest)]) {
          const failure = yield* whileTimePasses(Effect.flip(Effect.asVoid(request)).pipe(Effect.orDie))
          assert.strictEqual(failure._tag, "Superseded")
        }
        assert.lengthOf(asked, 1)
        yield* whileTimePasses(Effect.orDie(connections.ask(anyRequest)))
        assert.lengthOf(asked, 2)
      }).pipe(
        Effect.provide(
          Connections.layer.pipe(
            Layer.provideMerge(Profiles.layer),
            Layer.provideMerge(Settings.layer),
            Layer.provideMerge(editor.layer)
          )
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect("drops an answer that arrives after another profile was chosen", () =>
    Effect.gen(function* () {
      let answer: (given: { readonly status: number; readonly body: unknown }) => void = () => {}
      const { asked } = yield* served(
        () =>
          new Promise((resolve) => {
            answer = resolve
          })
      )
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      yield* Effect.gen(function* () {
        const connections = yield* Connections
        const profiles = yield* Profiles
        const late = yield* Effect.forkChild(Effect.flip(Effect.asVoid(connections.ask(anyRequest))))
        yield* timePassesUntil(() => asked.length > 0)
        const after = (yield* profiles.all).find(({ profile }) => profile.name === "after")
        yield* profiles.select(after?.profile ?? assert.fail())
        // The request ends at once, although there is no answer.
        const failure = yield* whileTimePasses(Effect.orDie(Fiber.join(late)))
        assert.strictEqual(failure._tag, "Superseded")
        answer({ status: 200, body: { items: [], next: null } })
        yield* whileTimePasses(Effect.void)
        assert.strictEqual(connections.health(), "unknown")
      }).pipe(
        Effect.provide(
          Connections.layer.pipe(
            Layer.provideMerge(Profiles.layer),
            Layer.provideMerge(Settings.layer),
            Layer.provideMerge(editor.layer)
          )
        )
      )
    }).pipe(Effect.scoped)
  )
})

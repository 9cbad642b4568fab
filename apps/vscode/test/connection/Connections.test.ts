import { assert, describe, it } from "@effect/vitest"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { Effect, Layer, Stream } from "effect"
import { Connections } from "../../src/connection/Connections.ts"
import { Profiles } from "../../src/connection/Profiles.ts"
import { Settings } from "../../src/editor/Settings.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { served, whileTimePasses, withProfiles } from "../Running.ts"

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
})

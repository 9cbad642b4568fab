/** Shows the sign-in and the state of the service in the status bar, and sets the context key for menus. */
import { Effect, Layer, Stream } from "effect"
import { Editor } from "../editor/Editor.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Profiles } from "./Profiles.ts"
import { statusOf } from "./StatusText.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const connections = yield* Connections
    const profiles = yield* Profiles

    const draw = Effect.fnUntraced(function* (connection: Connection) {
      yield* editor.setContext("signedIn", connection._tag === "SignedIn")
      const isMasked = (yield* editor.setting("masking")) === true
      yield* editor.status(statusOf(connection, isMasked, connections.health()))
    })

    yield* draw(yield* profiles.now)
    yield* profiles.changes.pipe(Stream.runForEach(draw), Effect.forkScoped({ startImmediately: true }))
    yield* Stream.merge(connections.healthChanges, editor.settingsChanged(["masking"])).pipe(
      Stream.runForEach(() => Effect.flatMap(profiles.now, draw)),
      Effect.forkScoped
    )
  })
)

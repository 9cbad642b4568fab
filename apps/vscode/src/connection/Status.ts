/** Keeps the status bar, and the context key that menus ask for, at who is signed in. */
import { Effect, Layer, Stream } from "effect"
import { Editor } from "../editor/Editor.ts"
import type { Connection } from "./Connection.ts"
import { Profiles } from "./Profiles.ts"
import { statusOf } from "./StatusText.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const profiles = yield* Profiles

    const draw = Effect.fnUntraced(function* (connection: Connection) {
      yield* editor.setContext("signedIn", connection._tag === "SignedIn")
      yield* editor.status(statusOf(connection, (yield* editor.setting("masking")) === true))
    })

    yield* draw(yield* profiles.now)
    yield* profiles.changes.pipe(Stream.runForEach(draw), Effect.forkScoped({ startImmediately: true }))
    yield* editor.settingsChanged(["masking"]).pipe(
      Stream.runForEach(() => Effect.flatMap(profiles.now, draw)),
      Effect.forkScoped
    )
  })
)

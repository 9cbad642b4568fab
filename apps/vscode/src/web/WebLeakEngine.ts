/** The leak engine in a browser: no git, no processes. */
import { Effect, Layer, Option } from "effect"
import { Editor } from "../Editor.ts"
import { LeakEngine } from "../leaks/LeakEngine.ts"

export const layer = Layer.effect(
  LeakEngine,
  Effect.gen(function* () {
    const editor = yield* Editor
    yield* editor.loadParts
    return {
      load: yield* Effect.cached(Effect.promise(async () => (await import("../leaks/Engine.ts")).engine)),
      folderScans: Option.none()
    }
  })
)

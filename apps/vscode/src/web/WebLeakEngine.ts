/** The leak engine in a browser: no git, no processes. */
import { Effect, Layer, Option } from "effect"
import { Detection } from "../detection/Detection.ts"
import { LeakEngine } from "../leaks/LeakEngine.ts"

export const layer = Layer.effect(
  LeakEngine,
  Effect.map(Detection, (detection) => ({
    // It shares modules with detection, and a part cannot load another by itself here.
    load: Effect.andThen(
      detection.load,
      Effect.promise(async () => (await import("../leaks/LeakCheckEngine.ts")).engine)
    ),
    folderScans: Option.none()
  }))
).pipe(Layer.provide(Detection.layer))

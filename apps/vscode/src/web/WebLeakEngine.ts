/** The leak engine in a browser: no git, no processes. */
import { Effect, Layer, Option } from "effect"
import { LeakEngine } from "../leaks/LeakEngine.ts"

export const layer = Layer.succeed(LeakEngine, {
  load: Effect.promise(async () => (await import("../leaks/LeakCheckEngine.ts")).engine),
  folderScans: Option.none()
})

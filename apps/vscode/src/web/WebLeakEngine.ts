/** The leak engine for browsers, without git and processes. */
import { Effect, Layer, Option } from "effect"
import { LeakEngine } from "../leaks/check/LeakEngine.ts"

export const layer = Layer.succeed(LeakEngine, {
  load: Effect.promise(async () => (await import("../leaks/check/LeakCheckEngine.ts")).engine),
  folderScans: Option.none()
})

import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

/** A path relative to the caller's folder: npm runs scripts in the folder of package.json. */
export const callerPath = Effect.fnUntraced(function* (given: string) {
  const path = yield* Path.Path
  const folder = yield* Effect.orElseSucceed(Config.String("THREAT_EXPOSURE_CALLED_FROM"), () => ".")
  return path.resolve(folder, given)
})

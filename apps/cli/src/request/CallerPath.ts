import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"
import { UsageInvalid } from "./UsageInvalid.ts"

export const cwdFlag = GlobalFlag.Setting("cwd")({
  flag: nonEmptyText("cwd", "DIR").pipe(
    Flag.withAlias("C"),
    Flag.optional,
    Flag.withDescription("Run as if started in this folder; paths in other flags start there")
  )
})

/**
 * Resolves a path relative to the caller's folder or `--cwd`. The working directory will not do: npm runs scripts in
 * the folder of package.json.
 */
export const callerPath = Effect.fnUntraced(function* (given: string) {
  const path = yield* Path.Path
  const folder = yield* Effect.orElseSucceed(Config.String("THREAT_EXPOSURE_CALLED_FROM"), () => ".")
  const cwd = Option.toArray(yield* cwdFlag)
  return yield* Effect.try({
    try: () => path.resolve(folder, ...cwd, given),
    catch: () => new UsageInvalid({ message: "The current folder does not exist any more: change to another one" })
  })
})

import { Config, Effect, Option } from "effect"

/** Without white space around it; undefined if it is not set or empty: GitHub's runner sets inputs that are not given to the empty string. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.String(name).pipe(
    Config.option,
    Effect.map((value) => Option.getOrElse(value, () => "").trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )

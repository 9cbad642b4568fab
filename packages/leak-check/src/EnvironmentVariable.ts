import { Config, Effect, Option } from "effect"

/**
 * The variable's value without surrounding white space; undefined if it is unset or empty, because GitHub's runner sets
 * missing inputs to the empty string.
 */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.String(name).pipe(
    Config.option,
    Effect.map((value) => Option.getOrElse(value, () => "").trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )

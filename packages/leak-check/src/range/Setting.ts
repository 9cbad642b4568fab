/** One variable of the environment; undefined where it is not set, or empty: the runner sets what is not given to the empty string. */
import { Config, Effect, Option } from "effect"

export const setting = (name: string): Effect.Effect<string | undefined> =>
  Config.String(name).pipe(
    Config.option,
    Effect.map((value) => Option.getOrElse(value, () => "").trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )

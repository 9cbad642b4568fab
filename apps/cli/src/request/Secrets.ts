/** Secret values for a search. No flag takes one: process lists show flags. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { withoutValues } from "../redaction/Redaction.ts"
import { optionalText, switchFlag } from "./Flags.ts"
import { UsageInvalid } from "./UsageInvalid.ts"
import { standardInput } from "./StandardInput.ts"

export const secretEnvFlag = optionalText("secret-env", "NAME", "Search for the value of this environment variable")

export const secretStdinFlag = switchFlag("secret-stdin", "Search for the value on standard input")

export interface SecretFlagValues {
  readonly secretEnv: Option.Option<string>
  readonly secretStdin: boolean
}

/** The value of an environment variable; none if it is not set. */
export const secretVariable = (name: string) =>
  Effect.orElseSucceed(Config.option(Config.Redacted(name)), () => Option.none<Redacted.Redacted>())

/** Undefined if neither flag is given. */
export const secretOf = Effect.fnUntraced(function* ({ secretEnv, secretStdin }: SecretFlagValues) {
  if (Option.isSome(secretEnv)) {
    const value = yield* secretVariable(secretEnv.value)
    if (Option.isNone(value) || Redacted.value(value.value) === "") {
      return yield* new UsageInvalid({ message: `--secret-env: the variable ${secretEnv.value} is not set` })
    }
    return value.value
  }
  if (!secretStdin) return undefined
  const value = (yield* standardInput).replace(/\r?\n$/u, "")
  return value === ""
    ? yield* new UsageInvalid({ message: "--secret-stdin: standard input is empty" })
    : Redacted.make(value)
})

/** Removes the value from what is shown of an answer. */
export const withoutSecret = (secret: Redacted.Redacted | undefined): ((shown: unknown) => unknown) =>
  withoutValues(secret === undefined ? {} : { secrets: [Redacted.value(secret)] })

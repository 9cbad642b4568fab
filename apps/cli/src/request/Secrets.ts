/** Reads secret values for a search. No flag takes one as its value: process lists show flags. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { withoutValues } from "../redaction/Redaction.ts"
import { optionalText } from "./Flags.ts"
import { UsageInvalid } from "./UsageInvalid.ts"
import { standardInput } from "./StandardInput.ts"

export const secretEnvFlag = optionalText("secret-env", "NAME", "Search for the value of this environment variable")

export const secretStdinFlag = switchFlag("secret-stdin", "Search for the value on standard input")

export interface SecretFlagValues {
  readonly secretEnv: Option.Option<string>
  readonly secretStdin: boolean
}

/** The value of an environment variable; none if it is unset. */
export const secretVariable = (name: string) =>
  Effect.orElseSucceed(Config.option(Config.Redacted(name)), () => Option.none<Redacted.Redacted>())

/** The failure for `--secret-env`. Quotes only what looks like a variable's name: anything else may be the secret. */
export const variableMissing = (name: string) =>
  new UsageInvalid({
    message: /^[A-Z_][A-Z0-9_]*$/u.test(name)
      ? `--secret-env: the variable ${name} is not set`
      : "--secret-env takes the name of a variable, and none of the given name is set (not repeated here, as it may be a secret)"
  })

/** The secret of `--secret-env` or `--secret-stdin`; undefined if neither is given. */
export const secretOf = Effect.fnUntraced(function* ({ secretEnv, secretStdin }: SecretFlagValues) {
  if (Option.isSome(secretEnv)) {
    const value = yield* secretVariable(secretEnv.value)
    if (Option.isNone(value) || Redacted.value(value.value) === "") {
      return yield* variableMissing(secretEnv.value)
    }
    return value.value
  }
  if (!secretStdin) return undefined
  const value = (yield* standardInput).replace(/\r?\n$/u, "")
  return value === ""
    ? yield* new UsageInvalid({ message: "--secret-stdin: standard input is empty" })
    : Redacted.make(value)
})

/** Removes the secret from a shown answer. */
export const withoutSecret = (secret: Redacted.Redacted | undefined): ((shown: unknown) => unknown) =>
  withoutValues(secret === undefined ? {} : { secrets: [Redacted.value(secret)] })

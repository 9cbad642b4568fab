/** Secrets that are checked by name: of variables, of a file, or on standard input. */
import { candidatesIn } from "@threat-exposure/detect/Text"
import type { NamedSecret } from "@threat-exposure/leak-check/target/Target"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { fileFailure } from "../output/FileFailure.ts"
import { Misused } from "../request/Misused.ts"
import { standardInput } from "../request/StandardInput.ts"

export const fromVariables = (names: ReadonlyArray<string>) =>
  Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const value = yield* Effect.orElseSucceed(Config.option(Config.Redacted(name)), Option.none)
      return Option.isSome(value)
        ? { name, value: value.value }
        : yield* new Misused({ message: `--secret-env: the variable ${name} is not set` })
    })
  )

export const fromFile = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(file)
    .pipe(
      Effect.mapError(
        ({ reason }) => new Misused({ message: `--secrets-file: ${file} cannot be read (${fileFailure(reason)})` })
      )
    )
  if (text.trim() === "") return yield* new Misused({ message: `--secrets-file: ${file} holds no value` })
  return (
    namedSecrets(text) ??
    (yield* new Misused({
      message: `--secrets-file: ${file} is neither a dotenv file (NAME=value lines) nor a JSON object of strings`
    }))
  )
})

/** Named values where it is a dotenv file or a JSON object of strings, else the candidates in it. */
export const fromStandardInput = Effect.gen(function* () {
  const text = yield* standardInput
  // The program that should have written to it may have failed.
  if (text.trim() === "") return yield* new Misused({ message: "--stdin: standard input is empty" })
  const secrets = namedSecrets(text)
  return secrets === undefined
    ? { secrets: [], candidates: candidatesIn(text, { path: "standard input" }) }
    : { secrets, candidates: [] }
})

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const decodeTexts = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.String))

/** A flat object, or one in `data`, as `vault read` prints it; in `data.data`, as `vault kv get` does. */
const textsOf = (json: unknown) => {
  for (let object = json, depth = 0; depth <= 2; depth += 1) {
    const texts = decodeTexts(object)
    if (Option.isSome(texts)) return texts.value
    if (typeof object !== "object" || object === null || !("data" in object)) return undefined
    object = object.data
  }
  return undefined
}

/** Undefined where the text is neither. */
const namedSecrets = (text: string): ReadonlyArray<NamedSecret> | undefined => {
  const texts = textsOf(Option.getOrUndefined(decodeJson(text)))
  if (texts !== undefined) return Object.entries(texts).map(([name, value]) => ({ name, value: Redacted.make(value) }))
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"))
  const secrets = lines.map((line) => /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/u.exec(line))
  return lines.length === 0 || secrets.some((match) => match === null)
    ? undefined
    : secrets.map((match) => ({ name: match?.[1] ?? "", value: Redacted.make(unquoted((match?.[2] ?? "").trim())) }))
}

const unquoted = (value: string) => /^(["'])(.*)\1$/u.exec(value)?.[2] ?? value

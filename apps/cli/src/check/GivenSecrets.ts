/** Secrets that the user passes to the check: in variables, in a file or on standard input. */
import { candidatesIn } from "@threat-exposure/detect/Text"
import type { NamedSecret } from "@threat-exposure/leak-check/target/Target"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { readTextFile } from "../request/FileText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { secretVariable, variableMissing } from "../request/Secrets.ts"
import { standardInput } from "../request/StandardInput.ts"

export const fromVariables = (names: ReadonlyArray<string>) =>
  Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const value = yield* secretVariable(name)
      return Option.isSome(value) ? { name, value: value.value } : yield* variableMissing(name)
    })
  )

export const fromFile = Effect.fnUntraced(function* (file: string) {
  const text = yield* readTextFile(file, `--secrets-file: ${file}`)
  const secrets = text.trim() === "" ? [] : namedSecrets(text)
  if (secrets === undefined) {
    return yield* new UsageInvalid({
      message: `--secrets-file: ${file} is neither a dotenv file (NAME=value lines) nor a flat JSON object`
    })
  }
  if (secrets.every(isEmpty)) return yield* new UsageInvalid({ message: `--secrets-file: ${file} contains no value` })
  return secrets
})

/** Named values if the input is a dotenv file or a flat JSON object, else the candidates in its text. */
export const fromStandardInput = Effect.gen(function* () {
  const text = yield* standardInput
  if (text.trim() === "") return yield* new UsageInvalid({ message: "--stdin: standard input is empty" })
  const secrets = namedSecrets(text)
  if (secrets?.every(isEmpty) === true)
    return yield* new UsageInvalid({ message: "--stdin: standard input contains no value" })
  return secrets === undefined
    ? { secrets: [], candidates: candidatesIn(text, { path: "standard input" }, { isFile: false }) }
    : { secrets, candidates: [] }
})

/**
 * Empty values are errors: the program that should have written them may have failed, and a check without values must
 * not pass.
 */
const isEmpty = ({ value }: NamedSecret): boolean => Redacted.value(value).trim() === ""

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const decodeFlat = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
)

/**
 * Strings and integers of a flat object, which may be nested in `data` (`vault read`) or `data.data` (`vault kv get`).
 */
const secretsInJson = (json: unknown): ReadonlyArray<NamedSecret> | undefined => {
  for (let object = json, depth = 0; depth <= 2; depth += 1) {
    const flat = decodeFlat(object)
    if (Option.isSome(flat)) {
      return Object.entries(flat.value).flatMap(([name, value]) =>
        typeof value === "string" || Number.isSafeInteger(value) ? [{ name, value: Redacted.make(String(value)) }] : []
      )
    }
    if (typeof object !== "object" || object === null || !("data" in object)) return undefined
    object = object.data
  }
  return undefined
}

/** Named values of a flat JSON object or a dotenv file; undefined if the text is neither. */
export const namedSecrets = (text: string): ReadonlyArray<NamedSecret> | undefined =>
  secretsInJson(Option.getOrUndefined(decodeJson(text))) ?? dotenvSecrets(text)

/**
 * Values in quotes may span lines, and double quotes allow escapes. Outside quotes, a `#` after a space starts a comment; any
 * other `#` is part of the value.
 */
const dotenvSecrets = (text: string): ReadonlyArray<NamedSecret> | undefined => {
  const secrets: Array<NamedSecret> = []
  const patterns = [
    /[ \t]*(?:#.*)?(?:\r?\n|$)/uy,
    /[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"(?<escaped>(?:[^"\\]|\\[^])*)"|'(?<single>[^']*)'|`(?<back>[^`]*)`)[ \t]*(?:#.*)?(?:\r?\n|$)/uy,
    /[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=(?<plain>.*)(?:\r?\n|$)/uy
  ]
  for (let position = 0; position < text.length;) {
    let found: RegExpExecArray | null = null
    for (const pattern of patterns) {
      pattern.lastIndex = position
      found ??= pattern.exec(text)
    }
    if (found === null) return undefined
    position += found[0].length
    const { back, escaped, name, plain, single } = found.groups ?? {}
    if (name === undefined) continue
    const value =
      escaped === undefined ? (single ?? back ?? plain?.replace(/\s#.*$/u, "").trim() ?? "") : unescape(escaped)
    secrets.push({ name, value: Redacted.make(value) })
  }
  return secrets.length === 0 ? undefined : secrets
}

const unescape = (text: string) =>
  text.replaceAll(/\\([^])/gu, (_, character: string) => controlCharacters[character] ?? character)

const controlCharacters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

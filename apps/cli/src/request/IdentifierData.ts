/** Converts the data that an identifier matches: from flags to the API, and to text for a table. */
import {
  makeUpdate,
  maxAttributes,
  type MonitoredData,
  type MonitoredIdentifier,
  type MonitoredIdentifierUpdate,
  NewMonitoredData
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import { domainOf } from "@threat-exposure/leak-check/target/Target"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"
import { redacted } from "../redaction/Redaction.ts"
import { optionalText, valueForms } from "./Flags.ts"
import { secretOf } from "./Secrets.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/** The field with the value, for types with a single field. */
const fields = {
  domain: "fqdn",
  keyword: "keyword",
  ip: "ip",
  bin: "bin",
  azure_tenant: "tenant_id",
  search_query: "search_query"
} as const

export const dataTypes = [
  "domain",
  "keyword",
  "ip",
  "bin",
  "azure_tenant",
  "search_query",
  "github_repository",
  "identity",
  "secret"
] as const
type DataType = (typeof dataTypes)[number]

/** The form of `--value` for types whose values are no plain text. */
const flagForms: Readonly<Partial<Record<DataType, string>>> = {
  github_repository: "OWNER/NAME",
  identity: `1 to ${maxAttributes} times email=ADDRESS, username=NAME or name=FIRST LAST`
}

export const dataFlags = {
  type: Flag.Literals("type", dataTypes).pipe(
    Flag.withMetavar("TYPE"),
    Flag.optional,
    Flag.withDescription("What is monitored")
  ),
  value: Flag.String("value").pipe(
    Flag.withMetavar("TEXT"),
    Flag.atLeast(0),
    Flag.withDescription(
      "Its value; OWNER/NAME for a repository; for an identity email=ADDRESS, username=NAME or name=FIRST LAST, repeated for each"
    )
  ),
  secretEnv: optionalText("secret-env", "NAME", "For --type secret: the environment variable with its value")
}

export interface DataFlagValues {
  readonly type: Option.Option<DataType>
  readonly value: ReadonlyArray<string>
  readonly secretEnv: Option.Option<string>
}

/** Decodes data in the form of the API; none if it is invalid. */
export const decodeData = Schema.decodeUnknownOption(NewMonitoredData)

/** The data that the flags describe; undefined if there are none. */
export const dataOf = Effect.fnUntraced(function* ({ secretEnv, type, value }: DataFlagValues) {
  if (Option.isNone(type)) {
    if (value.length === 0 && Option.isNone(secretEnv)) return undefined
    return yield* new UsageInvalid({ message: "Give --type with --value or --secret-env" })
  }
  const secret = yield* secretOf({ secretEnv, secretStdin: false })
  if ((type.value === "secret") !== (secret !== undefined)) {
    return yield* new UsageInvalid({ message: "--secret-env gives the value of --type secret, and of no other type" })
  }
  const data = Option.getOrUndefined(
    decodeData(secret === undefined ? wireOf(type.value, value) : { type: "secret", secret: Redacted.value(secret) })
  )
  if (data === undefined) {
    return yield* new UsageInvalid({
      message: `--value: --type ${type.value} takes ${flagForms[type.value] ?? "one value"}`
    })
  }
  const fault = faultOfData(data)
  if (fault !== undefined) return yield* new UsageInvalid({ message: `--value: ${fault}` })
  return data.type === "domain" ? { ...data, fqdn: domainOf(data.fqdn) ?? data.fqdn } : data
})

/** The members of data beside its type, for each type that can be created. */
export const dataMembers = new Map<string, string>([
  ...Object.entries(fields),
  ["github_repository", "repo_owner and repo_name"],
  [
    "identity",
    `attributes, a list of 1 to ${maxAttributes}: { type: email, email }, { type: username, username } or { type: name, first_name, last_name }`
  ],
  ["secret", "secret"]
])

/** Why data of this form never matches anything; undefined if it may match. */
export const faultOfData = (data: typeof NewMonitoredData.Type): string | undefined => {
  switch (data.type) {
    case "domain":
      return domainOf(data.fqdn) === undefined ? "a domain is a host name, such as example.com" : undefined
    case "ip":
      return faultOfValue("ip", data.ip)
    case "bin":
      return faultOfValue("bin", data.bin)
    case "identity":
      return data.attributes
        .flatMap((attribute) => (attribute.type === "email" ? [faultOfValue("email", attribute.email)] : []))
        .find((fault) => fault !== undefined)
    default:
      return undefined
  }
}

const faultOfValue = (kind: keyof typeof valueForms, value: string): string | undefined =>
  valueForms[kind].isValid(value) ? undefined : `${kind === "bin" ? "a" : "an"} ${kind} is ${valueForms[kind].form}`

/** Data in the form of the API. Returns invalid data for malformed values, which decoding then rejects. */
const wireOf = (type: Exclude<DataType, "secret"> | "secret", values: ReadonlyArray<string>): unknown => {
  const [value = "", ...others] = values.map((text) => text.trim())
  switch (type) {
    case "secret":
      return undefined
    case "identity":
      return { type, attributes: values.map(attributeOf) }
    case "github_repository": {
      const [, repo_owner, repo_name] = /^([^/\s]+)\/([^/\s]+)$/u.exec(value) ?? []
      return others.length === 0 ? { type, repo_owner, repo_name } : undefined
    }
    default:
      return others.length === 0 && value !== "" ? { type, [fields[type]]: value } : undefined
  }
}

const attributeOf = (text: string): unknown => {
  const [, type = "", value = ""] = /^(email|username|name)=\s*(.+?)\s*$/u.exec(text) ?? []
  const [first_name = "", ...rest] = value.split(/\s+/u)
  if (type === "name") return { type, first_name, last_name: rest.join(" ") }
  return type === "" ? undefined : { type, [type]: value }
}

/** One line without secrets. */
export const dataText = (data: MonitoredData | typeof NewMonitoredData.Type): string => {
  if (data.type === "identity" && "attributes" in data && Array.isArray(data.attributes))
    return data.attributes.map(valueText).join(", ")
  return valueText(data)
}

const valueText = (data: object): string => {
  const { type: _, is_strict: __, ...values }: Record<string, unknown> = { ...data }
  if ("repo_owner" in values) return `${String(values["repo_owner"])}/${String(values["repo_name"])}`
  return Object.values(values)
    .flatMap((value) => {
      if (value === null || value === undefined) return []
      if (Redacted.isRedacted(value)) return [redacted]
      return [Predicate.isObject(value) ? JSON.stringify(value) : String(value)]
    })
    .join(" ")
}

/** The update of an identifier: its current values with changes. */
export const updateOf = (
  identifier: MonitoredIdentifier,
  changes: Partial<MonitoredIdentifierUpdate>
): Effect.Effect<MonitoredIdentifierUpdate, UsageInvalid> =>
  Effect.mapError(
    Effect.fromNullishOr(makeUpdate(identifier, changes)),
    () =>
      new UsageInvalid({
        message: `The service does not say what the identifier ${identifier.id} of type ${identifier.data.type} matches in a form that it takes back: give --type with --value or --secret-env`
      })
  )

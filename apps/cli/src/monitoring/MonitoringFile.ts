/** The file of `plan`, `apply` and `export monitoring`: YAML, without secrets. */
import { MonitoredData, NewMonitoredData } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Severity } from "@threat-exposure/core/domain/Severity"
import { decodeYaml } from "@threat-exposure/leak-check/Yaml"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { stringify } from "yaml"
import { callerPath } from "../request/CallerPath.ts"
import { dataMembers, decodeData } from "../request/IdentifierData.ts"
import { secretVariable } from "../request/Secrets.ts"
import { readTextFile } from "../request/FileText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { keyOf, type MonitoringState, namesOf, presentData, secretNamesOf } from "./Monitored.ts"

const names = Schema.Array(Schema.String)

const Name = Schema.NonEmptyString.annotate({ message: "this must be a name that is not empty" })

const FileContent = Schema.Struct({
  groups: Schema.optionalKey(
    Schema.Array(
      Schema.Union([Schema.NonEmptyString, Schema.Struct({ name: Schema.NonEmptyString })]).annotate({
        message: "each group is a name that is not empty, or { name }"
      })
    )
  ),
  policies: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Name,
        type: Schema.String,
        value: Schema.Record(Schema.String, Schema.Unknown)
      })
    )
  ),
  identifiers: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.optionalKey(Name),
        data: Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [
          Schema.Record(Schema.String, Schema.Unknown)
        ]),
        categories: Schema.optionalKey(names),
        severities: Schema.optionalKey(Schema.Array(Severity)),
        group: Schema.optionalKey(Schema.String),
        disabled: Schema.optionalKey(Schema.Boolean),
        policies: Schema.optionalKey(names)
      })
    )
  )
})

type Content = typeof FileContent.Type

export interface WantedIdentifier {
  /** File and line, for messages. */
  readonly place: string
  /** Undefined if the service should choose the name. */
  readonly name: string | undefined
  /** Names of the variables with its secrets. */
  readonly variables: ReadonlyArray<string>
  /** Data in the form of the API. Contains secrets in clear text. */
  readonly data: unknown
  readonly key: string
  readonly categories: ReadonlyArray<string>
  readonly severities: ReadonlyArray<typeof Severity.Type>
  readonly group: string | undefined
  readonly disabled: boolean
  readonly policies: ReadonlyArray<string>
}

export interface WantedMonitoring {
  readonly groups: ReadonlyArray<string>
  readonly policies: ReadonlyArray<NonNullable<Content["policies"]>[number] & Pick<WantedIdentifier, "place">>
  readonly identifiers: ReadonlyArray<WantedIdentifier>
}

export const readFile = Effect.fnUntraced(function* (given: string) {
  const text = yield* readTextFile(yield* callerPath(given), `${given}:`)
  const { lineOf, value } = yield* decodeYaml(FileContent, { file: given, text, scalars: "core" }).pipe(
    Effect.mapError(({ message }) => new UsageInvalid({ message }))
  )
  // With --prune, a truncated, empty file would delete everything.
  if (Object.keys(value).length === 0) {
    return yield* new UsageInvalid({
      message: `${given}: it is empty: write \`identifiers: []\` if nothing is to be monitored`
    })
  }
  return yield* wantedOf(value, (path) => `${given}:${lineOf(path)}`)
})

type Path = ReadonlyArray<string | number>

/** `placeOf` returns the file and the line of a key or item. */
const wantedOf = Effect.fnUntraced(function* (content: Content, placeOf: (path: Path) => string) {
  const invalid = (path: Path, reason: string) => new UsageInvalid({ message: `${placeOf(path)}: ${reason}` })
  const missing = new Map<string, Path>()
  const revealed = Effect.fnUntraced(function* (data: object, path: Path): Effect.fn.Return<Record<string, unknown>> {
    const entries = yield* Effect.forEach(Object.entries(data), ([name, value]) =>
      Effect.map(
        isVariable(value) ? secretVariable(value.env) : Effect.succeed(Option.none<Redacted.Redacted>()),
        (secret) => {
          if (isVariable(value) && Option.isNone(secret)) missing.set(value.env, [...path, name])
          return [name, Option.isSome(secret) ? Redacted.value(secret.value) : value] as const
        }
      )
    )
    return Object.fromEntries(entries)
  })
  const entries = yield* Effect.forEach(content.identifiers ?? [], (entry, at) => {
    const path = ["identifiers", at]
    return Effect.map(revealed(entry.data, [...path, "data"]), (given) => ({
      entry,
      given,
      monitored: decodeMonitored(given),
      path
    }))
  })
  const [firstMissing] = missing.values()
  if (firstMissing !== undefined) {
    return yield* invalid(
      firstMissing,
      `its secrets are read from the environment: set ${[...missing.keys()].join(", ")} to the ${missing.size === 1 ? "value" : "values"} that the service is to look for`
    )
  }
  for (const { entry, given, monitored, path } of entries) {
    const secretNames = Option.match(monitored, { onNone: () => [], onSome: secretNamesOf })
    const name = secretNames.find((member) => !isVariable(entry.data[member]))
    if (name !== undefined) {
      return yield* invalid(
        [...path, "data", name],
        `${JSON.stringify(name)} is a secret in clear: set a variable to it, and write { env: NAME } with its name`
      )
    }
    const members = dataMembers.get(entry.data.type)
    // Decoding would ignore other members, and monitor something else than the file seems to say.
    if (members !== undefined && Option.isNone(decodeWhole(given))) {
      return yield* invalid([...path, "data"], `data of type ${entry.data.type} has ${members}, and nothing else`)
    }
  }
  const identifiers = entries.map(({ entry, given, monitored, path }): WantedIdentifier => {
    const data = Option.match(monitored, { onNone: () => given, onSome: presentData })
    return {
      place: placeOf(path),
      name: entry.name,
      variables: Object.values(entry.data).flatMap((value) => (isVariable(value) ? [value.env] : [])),
      data,
      key: keyOf(data),
      categories: entry.categories ?? [],
      severities: entry.severities ?? [],
      group: entry.group,
      disabled: entry.disabled ?? false,
      policies: [...new Set(entry.policies)].toSorted()
    }
  })
  const wanted: WantedMonitoring = {
    groups: (content.groups ?? []).map((group) => (typeof group === "string" ? group : group.name)),
    policies: (content.policies ?? []).map(({ name, type, value }, at) => ({
      name,
      type,
      value,
      place: placeOf(["policies", at])
    })),
    identifiers
  }
  for (const [list, values] of [
    ["groups", wanted.groups],
    ["policies", wanted.policies.map(({ name }) => name)],
    ["identifiers", identifiers.map(({ key }) => key)]
  ] as const) {
    const positions = new Map<string, number>()
    for (const [at, value] of values.entries()) {
      const first = positions.get(value)
      if (first !== undefined) {
        return yield* invalid([list, at], `this is there already (${placeOf([list, first])})`)
      }
      positions.set(value, at)
    }
  }
  return wanted
})

const decodeMonitored = Schema.decodeUnknownOption(MonitoredData)
const decodeWhole = Schema.decodeUnknownOption(NewMonitoredData, { onExcessProperty: "error" })

const isVariable = Schema.is(Schema.Struct({ env: Schema.NonEmptyString }))

/**
 * A file that describes the current state, so that `apply` changes nothing, the variables that it needs, and the ids of
 * identifiers that `apply` cannot create elsewhere.
 */
export const fileOf = ({ groups, identifiers, policies }: MonitoringState) => {
  const groupName = new Map(groups.map(({ id, name }) => [id, name]))
  const variables: Array<string> = []
  const content = {
    groups: groups.map(({ name }) => ({ name })),
    policies: policies.map(({ name, type, value }) => ({ name, type, value })),
    identifiers: identifiers.map(({ data, identifier, name, policies }) => {
      const { categories, group_id, id, is_disabled, severities } = identifier
      const hidden = secretNamesOf(identifier.data)
      const shown = Object.fromEntries(
        Object.entries(Predicate.isObject(data) ? data : {}).map(([member, value]) => {
          if (!hidden.includes(member)) return [member, value]
          const variable = `MONITORED_${member.toUpperCase()}_${id}`
          variables.push(variable)
          return [member, { env: variable }]
        })
      )
      const group = group_id === null ? undefined : groupName.get(group_id)
      return {
        ...(name === undefined ? {} : { name }),
        data: shown,
        ...(categories.length === 0 ? {} : { categories }),
        ...(severities.length === 0 ? {} : { severities }),
        ...(group === undefined ? {} : { group }),
        ...(is_disabled ? { disabled: true } : {}),
        ...(policies.length === 0 ? {} : { policies: namesOf(policies) })
      }
    })
  }
  const bound = identifiers.flatMap(({ data, identifier }) => (Option.isNone(decodeData(data)) ? [identifier.id] : []))
  return { text: stringify(content, { lineWidth: 0 }), variables, bound }
}

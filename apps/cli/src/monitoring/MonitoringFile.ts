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
import { decodeData } from "../request/IdentifierData.ts"
import { secretVariable } from "../request/Secrets.ts"
import { readTextFile } from "../request/FileText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { keyOf, type MonitoringState, namesOf, presentData, secretNamesOf } from "./Monitored.ts"

const names = Schema.Array(Schema.String)

const FileContent = Schema.Struct({
  groups: Schema.optionalKey(
    Schema.Array(Schema.Union([Schema.NonEmptyString, Schema.Struct({ name: Schema.NonEmptyString })]))
  ),
  policies: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.NonEmptyString,
        type: Schema.String,
        value: Schema.Record(Schema.String, Schema.Unknown)
      })
    )
  ),
  identifiers: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.optionalKey(Schema.NonEmptyString),
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
  readonly policies: NonNullable<Content["policies"]>
  readonly identifiers: ReadonlyArray<WantedIdentifier>
}

export const readFile = Effect.fnUntraced(function* (given: string) {
  const invalid = (reason: string) => new UsageInvalid({ message: `${given}: ${reason}` })
  const text = yield* readTextFile(yield* callerPath(given), `${given}:`)
  const { value } = yield* decodeYaml(FileContent, { file: given, text, scalars: "core" }).pipe(
    Effect.mapError(({ message }) => new UsageInvalid({ message }))
  )
  // With --prune, a truncated, empty file would delete everything.
  if (Object.keys(value).length === 0) {
    return yield* invalid("it is empty: write `identifiers: []` if nothing is to be monitored")
  }
  return yield* wantedOf(value, invalid)
})

const wantedOf = Effect.fnUntraced(function* (content: Content, invalid: (reason: string) => UsageInvalid) {
  const missing = new Set<string>()
  const revealed = Effect.fnUntraced(function* (data: object): Effect.fn.Return<Record<string, unknown>> {
    const entries = yield* Effect.forEach(Object.entries(data), ([name, value]) =>
      Effect.map(
        isVariable(value) ? secretVariable(value.env) : Effect.succeed(Option.none<Redacted.Redacted>()),
        (secret) => {
          if (isVariable(value) && Option.isNone(secret)) missing.add(value.env)
          return [name, Option.isSome(secret) ? Redacted.value(secret.value) : value] as const
        }
      )
    )
    return Object.fromEntries(entries)
  })
  const entries = yield* Effect.forEach(content.identifiers ?? [], (entry) =>
    Effect.map(revealed(entry.data), (given) => ({ entry, given, monitored: decodeMonitored(given) }))
  )
  if (missing.size > 0) {
    return yield* invalid(
      `its secrets are read from the environment: set ${[...missing].join(", ")} to the ${missing.size === 1 ? "value" : "values"} that the service is to look for`
    )
  }
  for (const [at, { entry, given, monitored }] of entries.entries()) {
    const secretNames = Option.match(monitored, { onNone: () => [], onSome: secretNamesOf })
    const name = secretNames.find((member) => !isVariable(entry.data[member]))
    if (name !== undefined) {
      return yield* invalid(
        `identifiers[${at}].data.${name} is a secret in clear: set a variable to it, and write { env: NAME } with its name`
      )
    }
    // Decoding would ignore the member, and monitor something else than the file seems to say.
    if (Option.isSome(decodeData(given)) && Option.isNone(decodeWhole(given))) {
      return yield* invalid(`identifiers[${at}].data has a member that its type ${entry.data.type} does not have`)
    }
  }
  const identifiers = entries.map(({ entry, given, monitored }): WantedIdentifier => {
    const data = Option.match(monitored, { onNone: () => given, onSome: presentData })
    return {
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
    policies: content.policies ?? [],
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
      if (first !== undefined) return yield* invalid(`${list}[${first}] is there again as ${list}[${at}]`)
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

/** Reads what a tenant monitors, in the form of the file: groups and policies by name, identifiers by their data. */
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { redactedName } from "@threat-exposure/core/domain/Identifier"
import {
  MonitoredData,
  type MonitoredIdentifier,
  NewMonitoredData,
  toNewData
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { say } from "../output/Output.ts"

export interface Monitored {
  readonly identifier: MonitoredIdentifier
  /** Undefined if the identifier has none, or one that contains its secret. */
  readonly name: string | undefined
  /** Data that the identifier matches, see {@link presentData}. Contains secrets in clear text. */
  readonly data: unknown
  readonly key: string
  readonly policies: ReadonlyArray<PolicyState>
}

export interface PolicyState {
  readonly uuid: string
  readonly name: string
  readonly type: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface GroupState {
  readonly id: number
  readonly name: string
}

export interface MonitoringState {
  readonly groups: ReadonlyArray<GroupState>
  readonly policies: ReadonlyArray<PolicyState>
  readonly identifiers: ReadonlyArray<Monitored>
  /** Items that a file cannot tell from one above, as two runs of `apply` at the same time create. */
  readonly repeated: Omit<MonitoringState, "repeated">
}

export const readMonitoring = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const policies = yield* MatchingPolicies
  const groups = yield* Effect.flatMap(IdentifierGroups, (groups) => groups.list())
  const foundPolicies = Array.from(
    yield* Stream.runCollect(policies.list()),
    ({ name, policy_type, uuid, value }): PolicyState => ({ uuid, name, type: policy_type, value })
  )
  const policiesOf = new Map<number, Array<PolicyState>>()
  for (const policy of foundPolicies) {
    const assigned = yield* Stream.runCollect(policies.assignments(policy.uuid))
    for (const { identifier_id } of assigned) {
      policiesOf.set(identifier_id, [...(policiesOf.get(identifier_id) ?? []), policy])
    }
  }
  const found = yield* Stream.runCollect(identifiers.list({ size: 100 }))
  const allGroups = yield* firstOfEach(
    groups.map(({ id, name }) => ({ id, name: name ?? "" })),
    ({ name }) => name,
    ({ name }) => `group ${JSON.stringify(name)}`
  )
  const allIdentifiers = yield* firstOfEach(
    found.map((identifier) => {
      const data = presentData(identifier.data)
      return {
        identifier,
        name: nameOf(identifier),
        data,
        key: keyOf(data),
        policies: policiesOf.get(identifier.id) ?? []
      }
    }),
    ({ key }) => key,
    ({ identifier }) => `data of identifier ${identifier.id}`
  )
  const allPolicies = yield* firstOfEach(
    foundPolicies,
    ({ name }) => name,
    ({ name }) => `policy ${JSON.stringify(name)}`
  )
  const state: MonitoringState = {
    groups: allGroups.first,
    policies: allPolicies.first,
    identifiers: allIdentifiers.first,
    repeated: {
      groups: allGroups.repeated,
      policies: allPolicies.repeated,
      identifiers: allIdentifiers.repeated
    }
  }
  return state
})

/** In a file, the key identifies an entry: of several items with one key, only the first is compared. */
const firstOfEach = Effect.fnUntraced(function* <Item>(
  items: ReadonlyArray<Item>,
  keyOf: (item: Item) => string,
  describe: (item: Item) => string
) {
  const byKey = Map.groupBy(items, keyOf)
  for (const [item, second] of byKey.values()) {
    if (item !== undefined && second !== undefined) {
      yield* say(
        `The service has the ${describe(item)} more than once: only the first is compared with the file; --prune deletes the others`
      )
    }
  }
  const lists = [...byKey.values()]
  return { first: lists.flatMap((list) => list.slice(0, 1)), repeated: lists.flatMap((list) => list.slice(1)) }
})

/** Data in the form of the API: as for a new identifier that matches the same or, if there can be none, as received. */
export const presentData = (data: MonitoredData): unknown => {
  const present = toNewData(data)
  return present === undefined ? encodeData(data) : encodeNewData(present)
}

const encodeData = Schema.encodeUnknownSync(MonitoredData)
const encodeNewData = Schema.encodeUnknownSync(NewMonitoredData)

const nameOf = ({ data, name }: MonitoredIdentifier): string | undefined => {
  if (name === null || name === redactedName) return undefined
  const secrets = Object.values(data).filter((value) => Redacted.isRedacted(value))
  return secrets.some((secret) => name.toLowerCase().includes(String(Redacted.value(secret)).toLowerCase()))
    ? undefined
    : name
}

/** Names of policies in alphabetical order, each once. */
export const namesOf = (policies: ReadonlyArray<PolicyState>): ReadonlyArray<string> =>
  [...new Set(policies.map(({ name }) => name))].toSorted()

/**
 * Data of equal type and value has equal keys, whatever the order of members and attributes and the case of host names.
 */
export const keyOf = (data: unknown): string => canonical(withoutDefaults(data))

const caseless: ReadonlySet<string> = new Set(["fqdn", "email"])

/** Removes an `is_strict` that is false: this is the default. */
const withoutDefaults = (data: unknown): unknown => {
  if (Array.isArray(data)) return data.map(withoutDefaults).toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
  return Predicate.isObject(data)
    ? Object.fromEntries(
        Object.entries(data)
          .filter(([name, value]) => !(name === "is_strict" && value === false))
          .map(([name, value]) => [
            name,
            caseless.has(name) && typeof value === "string" ? value.toLowerCase() : withoutDefaults(value)
          ])
      )
    : data
}

/** JSON with sorted member names. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    Predicate.isObject(member) && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member
  ) ?? ""

/** Names of the members that contain secrets. */
export const secretNamesOf = (data: object): ReadonlyArray<string> =>
  Object.entries(data).flatMap(([name, value]) => (Redacted.isRedacted(value) ? [name] : []))

/**
 * Computes and applies the changes that make a tenant monitor what a file says, in an order without a gap in
 * monitoring.
 */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { NewMatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import type { MonitoredIdentifierUpdate } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { chunksOf } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { dataMembers, dataText, decodeData, faultOfData, updateOf } from "../request/IdentifierData.ts"
import { untilAdmitted } from "../request/Targets.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import {
  canonical,
  type GroupState,
  type Monitored,
  type MonitoringState,
  namesOf,
  type PolicyState
} from "./Monitored.ts"
import type { WantedIdentifier, WantedMonitoring } from "./MonitoringFile.ts"

export type Services = IdentifierGroups | Identifiers | MatchingPolicies

export interface Change {
  readonly action: "create" | "update" | "delete" | "assign" | "unassign"
  readonly kind: "group" | "policy" | "identifier"
  /** Name in messages, without secrets. */
  readonly name: string
  /** The members that change, or the policies to assign. */
  readonly what: ReadonlyArray<string>
  readonly run: Effect.Effect<unknown, ApiError | UsageInvalid, Services>
}

export interface Difference {
  readonly changes: ReadonlyArray<Change>
  /** Entries that only the service has and that are not deleted. */
  readonly kept: ReadonlyArray<Pick<Change, "kind" | "name">>
}

export const differenceOf = Effect.fnUntraced(function* (
  wanted: WantedMonitoring,
  state: MonitoringState,
  isPruning: boolean
) {
  const groupIds = new Map(state.groups.map(({ id, name }) => [name, id]))
  const uuids = new Map(state.policies.map(({ name, uuid }) => [name, uuid]))
  const currents = currentByKey(wanted.identifiers, state.identifiers)
  const ids = new Map(Array.from(currents, ([key, { identifier }]) => [key, identifier.id]))
  const known = { groups: new Set([...groupIds.keys(), ...wanted.groups]), policies: new Set(uuids.keys()) }
  for (const { name } of wanted.policies) known.policies.add(name)
  for (const { group, place, policies } of wanted.identifiers) {
    const unknown = [
      ...(group === undefined || known.groups.has(group) ? [] : [`the group ${JSON.stringify(group)}`]),
      ...policies.filter((name) => !known.policies.has(name)).map((name) => `the policy ${JSON.stringify(name)}`)
    ]
    if (unknown.length > 0) {
      return yield* new UsageInvalid({
        message: `${place}: neither the file nor the service has ${unknown.join(" and ")}`
      })
    }
  }

  const createdGroups = wanted.groups
    .filter((name) => !groupIds.has(name))
    .map((name): Change => ({
      action: "create",
      kind: "group",
      name,
      what: [],
      run: Effect.flatMap(IdentifierGroups, (groups) =>
        Effect.map(groups.create({ name }), ({ id }) => groupIds.set(name, id))
      )
    }))

  const policyChanges: Array<Change> = []
  for (const policy of wanted.policies) {
    const current = state.policies.find(({ name }) => name === policy.name)
    if (current === undefined) {
      const body = Option.getOrUndefined(decodePolicy(policy))
      if (body === undefined) {
        return yield* new UsageInvalid({
          message: `${policy.place}: the policy ${JSON.stringify(policy.name)} cannot be created: ${policyForms.get(policy.type) ?? `its type must be one of ${[...policyForms.keys()].join(", ")}`}`
        })
      }
      policyChanges.push({
        action: "create",
        kind: "policy",
        name: policy.name,
        what: [],
        run: Effect.flatMap(MatchingPolicies, (policies) =>
          Effect.map(policies.create(body), ({ uuid }) => uuids.set(policy.name, uuid))
        )
      })
    } else if (current.type !== policy.type) {
      return yield* new UsageInvalid({
        message: `${policy.place}: the policy ${JSON.stringify(policy.name)} has the type ${current.type} on the service, and a type cannot be changed: give it another name`
      })
    } else if (canonical(current.value) !== canonical(policy.value)) {
      policyChanges.push({
        action: "update",
        kind: "policy",
        name: policy.name,
        what: ["value"],
        run: Effect.flatMap(MatchingPolicies, (policies) =>
          policies.update(current.uuid, { name: policy.name, value: policy.value })
        )
      })
    }
  }

  const creations: Array<Change> = []
  const updates: Array<Change> = []
  const assignments: Array<Change> = []
  const removals: Array<Change> = []
  const assign = makeAssignments("assign", ids)
  const unassign = makeAssignments("unassign", ids)
  const disablings: Array<Change> = []
  for (const entry of wanted.identifiers) {
    const current = currents.get(entry.key)
    const [variable] = entry.variables
    const name =
      entry.name ?? current?.name ?? (variable === undefined ? describe(entry.data) : `secret in ${variable}`)
    if (current === undefined) creations.push(yield* creationOf(entry, name, ids, groupIds))
    else {
      const what = changesOf(entry, current, state)
      if (what.length > 0) {
        const change = updateChange(entry, current, { groupIds, name, what })
        if (entry.disabled && !current.identifier.is_disabled) disablings.push(change)
        else updates.push(change)
      }
    }
    const assigned = current?.policies ?? []
    // Only the first of several policies with one name stays.
    const before = namesOf(
      isPruning ? assigned.filter((policy) => !state.repeated.policies.includes(policy)) : assigned
    )
    const added = entry.policies.filter((policy) => !before.includes(policy))
    if (added.length > 0) {
      assignments.push(assign(added, { key: entry.key, name, uuidsOf: (policy) => [uuids.get(policy) ?? ""] }))
    }
    const removed = before.filter((policy) => !entry.policies.includes(policy))
    if (removed.length > 0) {
      const uuidsOf = (policy: string) => assigned.flatMap(({ name, uuid }) => (name === policy ? [uuid] : []))
      removals.push(unassign(removed, { key: entry.key, name, uuidsOf }))
    }
  }

  const wantedThere = new Set(wanted.identifiers.map(({ key }) => currents.get(key)))
  const deletionOf = ({ data, identifier, name }: Monitored): Change => ({
    action: "delete",
    kind: "identifier",
    name: name ?? (isSecret(data) ? `secret ${identifier.id}` : describe(data)),
    what: [],
    run: Effect.flatMap(Identifiers, (identifiers) => identifiers.delete(identifier.id))
  })
  const deletionOfPolicy = ({ name, uuid }: PolicyState): Change => ({
    action: "delete",
    kind: "policy",
    name,
    what: [],
    run: Effect.flatMap(MatchingPolicies, (policies) => policies.delete(uuid))
  })
  const deletionOfGroup = ({ id, name }: GroupState): Change => ({
    action: "delete",
    kind: "group",
    name,
    what: [],
    run: Effect.flatMap(IdentifierGroups, (groups) => groups.delete(id))
  })
  const onlyThere: ReadonlyArray<Change> = [
    ...state.identifiers.filter((monitored) => !wantedThere.has(monitored)).map(deletionOf),
    ...state.policies
      .filter(({ name }) => !wanted.policies.some((policy) => policy.name === name))
      .map(deletionOfPolicy),
    ...state.groups.filter(({ name }) => !wanted.groups.includes(name)).map(deletionOfGroup)
  ]
  const difference: Difference = {
    // Widen monitoring before narrowing it.
    changes: [
      ...createdGroups,
      ...policyChanges.filter(({ action }) => action === "create"),
      ...creations,
      ...updates,
      ...removals,
      ...policyChanges.filter(({ action }) => action === "update"),
      ...assignments,
      ...disablings,
      ...(isPruning
        ? [
            ...state.repeated.identifiers.map(deletionOf),
            ...state.repeated.policies.map(deletionOfPolicy),
            ...onlyThere,
            ...state.repeated.groups.map(deletionOfGroup)
          ]
        : [])
    ],
    kept: isPruning ? [] : onlyThere
  }
  return difference
})

/**
 * Maps keys to identifiers of the service. A secret whose value the file changes is included under its new key as well,
 * if its name is unique.
 */
const currentByKey = (wanted: ReadonlyArray<WantedIdentifier>, there: ReadonlyArray<Monitored>) => {
  const currents = new Map(there.map((monitored) => [monitored.key, monitored]))
  const wantedKeys = new Set(wanted.map(({ key }) => key))
  const before = Map.groupBy(
    there.filter(({ data, key }) => isSecret(data) && !wantedKeys.has(key)),
    ({ name }) => name
  )
  const renewed = Map.groupBy(
    wanted.filter(({ data, key, name }) => isSecret(data) && name !== undefined && !currents.has(key)),
    ({ name }) => name
  )
  for (const [name, [entry, otherEntry]] of renewed) {
    const [monitored, other] = before.get(name) ?? []
    if (entry !== undefined && otherEntry === undefined && monitored !== undefined && other === undefined)
      currents.set(entry.key, monitored)
  }
  return currents
}

const isSecret = Schema.is(Schema.Struct({ type: Schema.Literal("secret") }))

/** The value of each type of policy that can be created. */
const policyForms = new Map<string, string>([
  ["INCLUDED_KEYWORDS", "its value is { keywords }, a list"],
  ["EXCLUDED_KEYWORDS", "its value is { keywords }, a list"],
  ["LUCENE_QUERY", "its value is { query }, a text"],
  ["ASTP_DOMAIN", "its value is { match_mode }: email_domain_only, auth_domain_and_email_domain or auth_domain_only"],
  ["ASTP_COOKIES", "its value is { cookie_names, match_subdomains }: a list, and true or false"]
])

const decodePolicy = Schema.decodeUnknownOption(NewMatchingPolicy)

/** The type and the value without secrets; only the type if the data is invalid. */
const describe = (data: unknown): string => {
  const type = Predicate.hasProperty(data, "type") ? String(data.type) : "none"
  return Option.match(decodeData(data), {
    onNone: () => `of type ${type}`,
    onSome: (known) => `${type} ${dataText(known)}`
  })
}

const changesOf = (
  { categories, disabled, group, key, name, severities }: WantedIdentifier,
  { identifier, key: currentKey, name: currentName }: Monitored,
  { groups }: MonitoringState
): ReadonlyArray<string> => {
  const currentGroup = groups.find(({ id }) => id === identifier.group_id)?.name
  return [
    ...(name !== undefined && name !== currentName ? ["name"] : []),
    ...(key === currentKey ? [] : ["data"]),
    ...(isSameSet(categories, identifier.categories) ? [] : ["categories"]),
    ...(isSameSet(severities, identifier.severities) ? [] : ["severities"]),
    ...(group === currentGroup ? [] : ["group"]),
    ...(disabled === identifier.is_disabled ? [] : ["disabled"])
  ]
}

const isSameSet = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  canonical([...new Set(a)].toSorted()) === canonical([...new Set(b)].toSorted())

const creationOf = Effect.fnUntraced(function* (
  { categories, data: given, disabled, group, key, name: givenName, place, severities }: WantedIdentifier,
  name: string,
  ids: Map<string, number>,
  groupIds: ReadonlyMap<string, number>
) {
  const data = Option.getOrUndefined(decodeData(given))
  const fault =
    data === undefined ? `the type of its data must be one of ${[...dataMembers.keys()].join(", ")}` : faultOfData(data)
  if (data === undefined || fault !== undefined) {
    return yield* new UsageInvalid({
      message: `${place}: the identifier ${JSON.stringify(name)} cannot be created: ${fault}`
    })
  }
  const change: Change = {
    action: "create",
    kind: "identifier",
    name,
    what: [],
    run: Effect.gen(function* () {
      const identifiers = yield* Identifiers
      const group_id = group === undefined ? undefined : groupIds.get(group)
      const body = {
        data,
        categories,
        emerging_categories: [],
        severities,
        ...(givenName === undefined ? {} : { name: givenName }),
        ...(group_id === undefined ? {} : { group_id })
      }
      // A retry after the rate limit refused a later request must not create the identifier again.
      const id = ids.get(key) ?? (yield* identifiers.create(body)).id
      ids.set(key, id)
      if (disabled) yield* identifiers.update(id, { ...body, is_disabled: true })
    })
  }
  return change
})

const updateChange = (
  { categories, data: given, disabled, group, name: givenName, severities }: WantedIdentifier,
  { identifier }: Monitored,
  {
    groupIds,
    name,
    what
  }: { readonly groupIds: ReadonlyMap<string, number>; readonly name: string; readonly what: ReadonlyArray<string> }
): Change => ({
  action: "update",
  kind: "identifier",
  name,
  what,
  run: Effect.gen(function* () {
    const identifiers = yield* Identifiers
    const data = what.includes("data") ? Option.getOrUndefined(decodeData(given)) : undefined
    const changes: Partial<MonitoredIdentifierUpdate> = {
      categories,
      severities,
      is_disabled: disabled,
      group_id: group === undefined ? null : (groupIds.get(group) ?? null),
      ...(givenName === undefined ? {} : { name: givenName }),
      ...(data === undefined ? {} : { data })
    }
    yield* identifiers.update(identifier.id, yield* updateOf(identifier, changes))
  })
})

/** Identifiers per request. */
export const maxAssigned = 100

/** Makes the changes of one kind, which share their requests: the first one sends one for each policy and 100 identifiers. */
const makeAssignments = (action: "assign" | "unassign", ids: ReadonlyMap<string, number>) => {
  const assigned: Array<{ readonly key: string; readonly uuids: () => ReadonlyArray<string> }> = []
  // Uuids and ids are known once policies and identifiers are created. A repetition sends what is left.
  let left: Array<{ readonly uuid: string; readonly identifier_ids: ReadonlyArray<number> }> | undefined
  const requests = () => {
    const pairs = assigned.flatMap(({ key, uuids }) => uuids().map((uuid) => ({ uuid, id: ids.get(key) ?? 0 })))
    return Array.from(Map.groupBy(pairs, ({ uuid }) => uuid)).flatMap(([uuid, group]) =>
      chunksOf(group, maxAssigned).map((some) => ({ uuid, identifier_ids: some.map(({ id }) => id) }))
    )
  }
  const run = Effect.gen(function* () {
    const matching = yield* MatchingPolicies
    left ??= requests()
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const { identifier_ids, uuid } = next
      yield* untilAdmitted(matching[action](uuid, { identifier_ids }))
      left.shift()
    }
  })
  return (policies: ReadonlyArray<string>, { key, name, uuidsOf }: AssignedIdentifier): Change => {
    assigned.push({ key, uuids: () => policies.flatMap(uuidsOf) })
    return { action, kind: "identifier", name, what: policies, run }
  }
}

interface AssignedIdentifier {
  readonly key: string
  readonly name: string
  /** The uuids of the policies with this name. */
  readonly uuidsOf: (policy: string) => ReadonlyArray<string>
}

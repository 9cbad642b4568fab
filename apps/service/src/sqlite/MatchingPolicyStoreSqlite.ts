import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { flow, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { MatchingPolicy, type PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { policyExpression, PolicyRule, shownName } from "../matching/IdentifierExpression.ts"
import { criteriaOf, noteChange, ruleColumn } from "./IdentifierPercolator.ts"
import { column, type Connection, query, select } from "./database/Connection.ts"
import { fullTextQuery } from "./database/FullTextQuery.ts"
import { type OpenDatabase, procedure } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { minEventId, removeMatches } from "./events/MatchRemoval.ts"
import { complete, recoveryLayer } from "./UnfinishedWork.ts"
import {
  type AssignedIdentifiers,
  MatchingPolicyStore,
  requireNoneRefused,
  type StoredPolicy
} from "../matching-policies/MatchingPolicyStore.ts"
import { countPhrases, type RefusedIdentifier, refusedIdentifiers } from "../matching-policies/PolicyFaults.ts"
import { jsonColumn } from "../requests/JsonText.ts"
import { orNotFound, requireFound, requireNoneMissing } from "../requests/NotFound.ts"

const store = storeLayer(MatchingPolicyStore)(({ read, write }, calls) => ({
  insert: write("insert", insertPolicy),
  find: flow(
    read("find", ({ connection }, tenantId, uuid) => connection.first(policyOf, uuid, tenantId)),
    orNotFound
  ),
  page: read("page", ({ connection }, tenantId, { after, order, size }) => {
    const [createdAt, uuid] = after ?? (order === "asc" ? ["", ""] : ["~", ""])
    return connection.own(policiesInOrder[order], [tenantId, createdAt, uuid], identity, size)
  }),
  update: flow(
    write("update", ({ connection }, { name, tenantId, updatedAt, uuid, value }) => {
      const stored = connection.first(policyOf, uuid, tenantId)
      if (stored === undefined) return undefined
      const identifiers = connection.all(identifiersOfPolicy, uuid, tenantId)
      const rule = decodeRule(value)
      const isLarger = countPhrases(rule) > countPhrases(decodeRule(stored.value))
      const refused = isLarger ? refusedBy(connection, { uuid, rule }, identifiers) : []
      if (refused.length > 0) return { updated: stored, refused }
      connection.run(
        "UPDATE matching_policies SET name = ?, value = ?, last_updated_at = ? WHERE uuid = ? AND tenant_id = ?",
        name,
        JSON.stringify(value),
        updatedAt,
        uuid,
        tenantId
      )
      for (const id of identifiers) noteChange(connection, id)
      return { updated: { ...stored, name, value, last_updated_at: updatedAt }, refused }
    }),
    orNotFound,
    Effect.flatMap(({ refused, updated }) => Effect.as(requireNoneRefused(refused), updated))
  ),
  unassign: flow(
    write("unassign", ({ connection }, tenantId, uuid, identifierIds) => {
      if (connection.first(policyOf, uuid, tenantId) === undefined) return undefined
      const missing = identifierIds.filter((id) => !ownsIdentifier(connection, tenantId, id))
      if (missing.length > 0) return missing
      for (const id of identifierIds) {
        connection.run("DELETE FROM policy_assignments WHERE policy_uuid = ? AND identifier_id = ?", uuid, id)
      }
      return []
    }),
    orNotFound,
    Effect.flatMap(requireNoneMissing)
  ),
  // The policy applies to new events before past ones are removed, so that no event is missed.
  assign: flow(
    write("assign", assignPolicy),
    orNotFound,
    Effect.flatMap(
      Effect.fnUntraced(function* ({ cleaning, missing, refused }) {
        yield* requireNoneMissing(missing)
        yield* requireNoneRefused(refused)
        if (cleaning !== undefined) yield* complete(calls.write, cleanNext, cleaning)
      })
    )
  ),
  assignments: read("assignments", ({ connection, vault }, uuid, { after, order, size }) => {
    const [assignedAt, identifierId] = after ?? beginning[order]
    return connection.own(
      assignmentsInOrder[order],
      [uuid, assignedAt, identifierId],
      ({ assigned_at, clean_past_events, identifier_id, ...row }) => {
        const identifier_name = shownName(criteriaOf(vault, { id: identifier_id, ...row }))
        return { identifier_id, identifier_name, clean_past_events, assigned_at }
      },
      size
    )
  }),
  ofIdentifier: flow(
    read("ofIdentifier", ({ connection }, tenantId, identifierId) =>
      ownsIdentifier(connection, tenantId, identifierId)
        ? connection.own(
            policiesAssignedTo,
            [identifierId],
            ({ assigned_at, clean_past_events, ...matching_policy }) => ({
              matching_policy,
              assigned_at,
              clean_past_events
            })
          )
        : undefined
    ),
    orNotFound
  ),
  delete: flow(write("delete", deletePolicy), requireFound)
}))

export const MatchingPolicyStoreSqlite = Layer.merge(
  store,
  recoveryLayer((connection) => connection.all(cleanings).map((id) => [cleanNext, id] as const))
)

export function insertPolicy(
  { connection }: OpenDatabase,
  { createdAt, name, tenantId, type, uuid, value }: StoredPolicy
): void {
  connection.insert("matching_policies", {
    uuid,
    tenant_id: tenantId,
    name,
    policy_type: type,
    value: JSON.stringify(value),
    created_at: createdAt,
    last_updated_at: createdAt
  })
}

export function assignPolicy(
  { connection }: OpenDatabase,
  { assignedAt, cleanPastEvents, identifierIds, tenantId, uuid }: AssignedIdentifiers
) {
  const policy = connection.first(policyOf, uuid, tenantId)
  if (policy === undefined) return undefined
  const missing = identifierIds.filter((id) => !ownsIdentifier(connection, tenantId, id))
  const refused = refusedBy(connection, { uuid, rule: decodeRule(policy.value) }, identifierIds)
  if (missing.length + refused.length > 0) return { missing, refused, cleaning: undefined }
  const assigned = { policy_uuid: uuid, clean_past_events: cleanPastEvents ? 1 : 0, assigned_at: assignedAt }
  for (const id of identifierIds) connection.replace("policy_assignments", { ...assigned, identifier_id: id })
  const cleaning = cleanPastEvents
    ? connection.insertNumbered("policy_cleanings", {
        policy_uuid: uuid,
        identifier_ids: JSON.stringify(identifierIds),
        cleaned_to: minEventId
      })
    : undefined
  return { missing, refused, cleaning }
}

export function deletePolicy({ connection }: OpenDatabase, tenantId: number, uuid: PolicyUuid): boolean {
  // Foreign keys would delete the assignments without firing their triggers.
  if (connection.first(policyOf, uuid, tenantId) === undefined) return false
  connection.run("DELETE FROM policy_assignments WHERE policy_uuid = ?", uuid)
  return connection.run("DELETE FROM matching_policies WHERE uuid = ? AND tenant_id = ?", uuid, tenantId).changes > 0
}

const refusedBy = (
  connection: Connection,
  policy: { readonly uuid: PolicyUuid; readonly rule: PolicyRule },
  identifierIds: ReadonlyArray<number>
): ReadonlyArray<RefusedIdentifier> =>
  refusedIdentifiers(
    policy,
    identifierIds.map((id) => ({ id, policies: connection.all(uuidsAssignedTo, id) })),
    (uuid) => connection.first(ruleOfPolicy, uuid) ?? {}
  )

/** Removes matches that the policy does not keep, among the next events. Returns true after the last of them. */
const cleanNext = procedure("MatchingPolicyStore.cleanNext", ({ connection, vault }, id: number): boolean => {
  const cleaning = connection.first(cleaningOf, id)
  // Another service has completed the removal, or the policy was deleted.
  if (cleaning === undefined) return true
  const { cleaned_to, identifier_ids, rule } = cleaning
  const kept = Result.getOrUndefined(policyExpression(vault, rule))
  const end = kept === undefined ? undefined : connection.first(endOfMatches, cleaned_to)
  if (kept !== undefined) removeMatches(connection, identifier_ids, fullTextQuery(vault, kept), [cleaned_to, end])
  if (end === undefined) connection.run("DELETE FROM policy_cleanings WHERE id = ?", id)
  else connection.run("UPDATE policy_cleanings SET cleaned_to = CAST(? AS INTEGER) WHERE id = ?", end, id)
  return end === undefined
})

const ownsIdentifier = (connection: Connection, tenantId: number, id: number): boolean =>
  connection.has("FROM identifiers WHERE id = ? AND tenant_id = ?", id, tenantId)

/** A position before the first assignment, in either order. */
const beginning = { asc: ["", 0], desc: ["~", 0] } as const

const Policy = Schema.Struct({
  uuid: Schema.String,
  name: Schema.String,
  policy_type: Schema.String,
  value: jsonColumn(MatchingPolicy.fields.value),
  created_at: Schema.String,
  last_updated_at: Schema.String
})

const policyOf = select(Policy, "FROM matching_policies WHERE uuid = ? AND tenant_id = ?")

const policiesAfter = (comparison: "<" | ">", order: "asc" | "desc") =>
  select(
    Policy,
    `FROM matching_policies WHERE tenant_id = ? AND (created_at, uuid) ${comparison} (?, ?)
     ORDER BY created_at ${order}, uuid ${order} LIMIT ? + 0`
  )

const policiesInOrder = { asc: policiesAfter(">", "asc"), desc: policiesAfter("<", "desc") }

const identifiersOfPolicy = column(
  Schema.Int,
  `SELECT p.identifier_id FROM policy_assignments p JOIN matching_policies m ON m.uuid = p.policy_uuid
   WHERE m.uuid = ? AND m.tenant_id = ?`
)

const cleanings = column(Schema.Int, "SELECT id FROM policy_cleanings")

const cleaningOf = query(
  Schema.Struct({
    id: Schema.Int,
    identifier_ids: jsonColumn(Schema.Array(Schema.Int)),
    cleaned_to: Schema.String,
    rule: jsonColumn(PolicyRule)
  }),
  `SELECT c.id, c.identifier_ids, CAST(c.cleaned_to AS TEXT) AS cleaned_to, ${ruleColumn}
   FROM policy_cleanings c JOIN matching_policies m ON m.uuid = c.policy_uuid WHERE c.id = ?`
)

/** Counts the matches of all identifiers together, so that each transaction checks about as many. */
const endOfMatches = column(
  Schema.String,
  `SELECT CAST(event_id AS TEXT) FROM identifier_events
   WHERE event_id > CAST(? AS INTEGER) ORDER BY event_id LIMIT 1 OFFSET 10000`
)

const assignmentsAfter = (comparison: "<" | ">", order: "asc" | "desc") =>
  query(
    Schema.Struct({
      identifier_id: Schema.Int,
      clean_past_events: Schema.BooleanFromBit,
      assigned_at: Schema.String,
      tenant_id: Schema.Int,
      asset: Schema.Uint8Array
    }),
    `SELECT p.identifier_id, p.clean_past_events, p.assigned_at, i.tenant_id, i.asset
     FROM policy_assignments p JOIN identifiers i ON i.id = p.identifier_id
     WHERE p.policy_uuid = ? AND (p.assigned_at, p.identifier_id) ${comparison} (?, ?)
     ORDER BY p.assigned_at ${order}, p.identifier_id ${order} LIMIT ? + 0`
  )

const assignmentsInOrder = { asc: assignmentsAfter(">", "asc"), desc: assignmentsAfter("<", "desc") }

const uuidsAssignedTo = column(Schema.String, "SELECT policy_uuid FROM policy_assignments WHERE identifier_id = ?")

const ruleOfPolicy = column(jsonColumn(PolicyRule), `SELECT ${ruleColumn} FROM matching_policies m WHERE m.uuid = ?`)

const decodeRule = Schema.decodeUnknownSync(PolicyRule)

const policiesAssignedTo = select(
  Schema.Struct({ ...Policy.fields, assigned_at: Schema.String, clean_past_events: Schema.BooleanFromBit }),
  `FROM policy_assignments JOIN matching_policies ON uuid = policy_uuid
   WHERE identifier_id = ? ORDER BY assigned_at DESC, uuid`
)

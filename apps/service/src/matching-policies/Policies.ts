/** What is done with matching policies: all of it within one tenant, for which those of another are not there. */
import {
  type AssignedPolicy,
  defaultAssignments,
  MatchingPolicy,
  type PolicyAssignment
} from "@threat-exposure/core/domain/MatchingPolicy"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { cursors } from "../crypto/Cursor.ts"
import { policyExpression, PolicyValue } from "../matching/IdentifierExpression.ts"
import { decodeCriteria } from "../matching/IdentifierPercolator.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { hiddenName } from "@threat-exposure/core/domain/Identifier"
import { type Connection, query } from "../sqlite/Connection.ts"
import { procedure } from "../sqlite/Procedure.ts"

export interface PolicyToCreate {
  readonly tenantId: number
  readonly name: string
  readonly keywords: ReadonlyArray<string>
  readonly uuid: string
  /** ISO 8601. */
  readonly now: string
}

/** The API has no operation that creates a policy. */
export const createPolicyJob = procedure(
  "matchingPolicies.create",
  ({ connection }, { keywords, name, now, tenantId, uuid }: PolicyToCreate): void => {
    connection.run(
      `INSERT INTO matching_policies (uuid, tenant_id, name, policy_type, value, created_at, last_updated_at)
       VALUES (?, ?, ?, 'INCLUDED_KEYWORDS', ?, ?, ?)`,
      uuid,
      tenantId,
      name,
      JSON.stringify({ keywords }),
      now,
      now
    )
  }
)

export interface PolicyToAssign {
  readonly tenantId: number
  readonly uuid: string
  readonly identifierIds: ReadonlyArray<number>
  readonly cleanPastEvents: boolean
  /** ISO 8601. */
  readonly now: string
}

/** All of it or, where the policy or one of the identifiers is not the tenant's, nothing. */
export const assignPolicyJob = procedure(
  "matchingPolicies.assign",
  (
    { connection, vault },
    { cleanPastEvents, identifierIds, now, tenantId, uuid }: PolicyToAssign
  ): "assigned" | "missing" => {
    const policy = connection.first(policyOf, uuid, tenantId)
    const identifiers = new Set(identifierIds)
    if (policy === undefined || ![...identifiers].every((id) => ownsIdentifier(connection, tenantId, id)))
      return "missing"
    const kept = cleanPastEvents ? policyExpression(vault, decodeValue(policy.value)) : undefined
    for (const id of identifiers) {
      connection.run(
        `INSERT OR REPLACE INTO policy_assignments (policy_uuid, identifier_id, clean_past_events, assigned_at)
         VALUES (?, ?, ?, ?)`,
        uuid,
        id,
        cleanPastEvents ? 1 : 0,
        now
      )
      if (kept === undefined) continue
      connection.run(
        `DELETE FROM identifier_events WHERE identifier_id = ?
           AND event_id NOT IN (SELECT rowid FROM event_index WHERE event_index MATCH ?)`,
        id,
        fullTextQuery(vault, kept)
      )
    }
    return "assigned"
  }
)

export interface AssignmentListing {
  readonly tenantId: number
  readonly uuid: string
  readonly order: "asc" | "desc" | undefined
  readonly size: number | undefined
  readonly from: string | undefined
}

export type AssignmentsResult =
  | { readonly _tag: "Page"; readonly items: ReadonlyArray<PolicyAssignment>; readonly next: string | null }
  | { readonly _tag: "PolicyMissing" }
  | { readonly _tag: "CursorInvalid" }

/** In the order of assignment, those of one moment by the identifier's id. */
export const assignmentsJob = procedure(
  "matchingPolicies.assignments",
  (
    { connection, vault },
    { from, order = "desc", size = defaultAssignments, tenantId, uuid }: AssignmentListing
  ): AssignmentsResult => {
    if (connection.first(policyOf, uuid, tenantId) === undefined) return { _tag: "PolicyMissing" }
    const bound = ["assignments", tenantId, uuid, order]
    const opened = from === undefined ? Result.succeed(farthest[order]) : assignmentCursors.open(vault, bound, from)
    if (Result.isFailure(opened)) return { _tag: "CursorInvalid" }
    const [assignedAt, identifierId] = opened.success
    const rows = connection.all(assignmentsInOrder[order], uuid, assignedAt, identifierId, size + 1)
    const page = rows.slice(0, size)
    const last = rows.length > size ? page.at(-1) : undefined
    return {
      _tag: "Page",
      items: page.map(({ asset, assigned_at, clean_past_events, identifier_id }) => {
        const { name, type } = decodeCriteria(vault.unseal(asset))
        return {
          identifier_id,
          identifier_name: type === "secret" ? hiddenName : name,
          clean_past_events: clean_past_events === 1,
          assigned_at
        }
      }),
      next: last === undefined ? null : assignmentCursors.seal(vault, bound, [last.assigned_at, last.identifier_id])
    }
  }
)

/** When it was assigned, and the identifier's id. */
const assignmentCursors = cursors(Schema.Tuple([Schema.String, Schema.Int]))

/** The policies of an identifier, the last assigned first; undefined where the identifier is not the tenant's. */
export const policiesOfIdentifierJob = procedure(
  "matchingPolicies.ofIdentifier",
  (
    { connection },
    { identifierId, tenantId }: { readonly identifierId: number; readonly tenantId: number }
  ): ReadonlyArray<AssignedPolicy> | undefined =>
    ownsIdentifier(connection, tenantId, identifierId)
      ? connection
          .all(policiesAssignedTo, identifierId)
          .map(({ assigned_at, clean_past_events, ...matching_policy }) => ({
            matching_policy,
            assigned_at,
            clean_past_events: clean_past_events === 1
          }))
      : undefined
)

/**
 * With its assignments. From then on events match without it; what it kept away or removed before stays so.
 */
export const deletePolicyJob = procedure(
  "matchingPolicies.delete",
  ({ connection }, { tenantId, uuid }: { readonly tenantId: number; readonly uuid: string }): boolean => {
    // Foreign keys would delete the assignments without their triggers being told.
    if (connection.first(policyOf, uuid, tenantId) === undefined) return false
    connection.run("DELETE FROM policy_assignments WHERE policy_uuid = ?", uuid)
    return connection.run("DELETE FROM matching_policies WHERE uuid = ? AND tenant_id = ?", uuid, tenantId).changes > 0
  }
)

const ownsIdentifier = (connection: Connection, tenantId: number, id: number): boolean =>
  connection.first(ownIdentifier, id, tenantId) !== undefined

/** Before the first assignment, in either order. */
const farthest = { asc: ["", 0], desc: ["~", 0] } as const

const decodeValue = Schema.decodeSync(Schema.fromJsonString(PolicyValue))

const policyOf = query(
  Schema.Struct({ value: Schema.String }),
  "SELECT value FROM matching_policies WHERE uuid = ? AND tenant_id = ?"
)

const ownIdentifier = query(
  Schema.Struct({ id: Schema.Int }),
  "SELECT id FROM identifiers WHERE id = ? AND tenant_id = ?"
)

const assignmentsAfter = (comparison: "<" | ">", order: "asc" | "desc") =>
  query(
    Schema.Struct({
      identifier_id: Schema.Int,
      clean_past_events: Schema.Int,
      assigned_at: Schema.String,
      asset: Schema.Uint8Array
    }),
    `SELECT p.identifier_id, p.clean_past_events, p.assigned_at, i.asset
     FROM policy_assignments p JOIN identifiers i ON i.id = p.identifier_id
     WHERE p.policy_uuid = ? AND (p.assigned_at, p.identifier_id) ${comparison} (?, ?)
     ORDER BY p.assigned_at ${order}, p.identifier_id ${order} LIMIT ? + 0`
  )

const assignmentsInOrder = { asc: assignmentsAfter(">", "asc"), desc: assignmentsAfter("<", "desc") }

const policiesAssignedTo = query(
  Schema.Struct({
    uuid: Schema.String,
    name: Schema.String,
    policy_type: Schema.String,
    value: Schema.fromJsonString(MatchingPolicy.fields.value),
    created_at: Schema.String,
    last_updated_at: Schema.String,
    assigned_at: Schema.String,
    clean_past_events: Schema.Int
  }),
  `SELECT m.*, p.assigned_at, p.clean_past_events
   FROM policy_assignments p JOIN matching_policies m ON m.uuid = p.policy_uuid
   WHERE p.identifier_id = ? ORDER BY p.assigned_at DESC, m.uuid`
)

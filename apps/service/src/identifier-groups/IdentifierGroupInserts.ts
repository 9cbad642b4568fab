import type { IdentifierGroup, NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import * as Schema from "effect/Schema"
import { query } from "../sqlite/Connection.ts"
import { procedure } from "../sqlite/Procedure.ts"

export interface IdentifierGroupToCreate {
  readonly tenantId: number
  readonly group: NewIdentifierGroup
}

/**
 * Ids are a tenant's own: one that the request names is taken, and replaces the tenant's group that has it. The group
 * belongs to the tenant of the key whatever the request says. Without any given, a group is a feed of its own, which the
 * tenant owns, its name is empty, and its urn is `urn:threat-exposure:identifier-group:ID`.
 */
export const createIdentifierGroupJob = procedure(
  "identifierGroups.create",
  ({ connection }, { group, tenantId }: IdentifierGroupToCreate): IdentifierGroup => {
    const id = group.id ?? connection.first(freeId, tenantId, tenantId)?.id ?? 1
    const created = {
      id,
      tenant_id: tenantId,
      feed_id: group.feed_id ?? id,
      feed_owner_id: group.feed_owner_id ?? tenantId,
      name: group.name ?? "",
      urn: group.urn ?? `urn:threat-exposure:identifier-group:${id}`
    }
    connection.run(
      "INSERT OR REPLACE INTO identifier_groups (tenant_id, id, feed_id, feed_owner_id, name, urn) VALUES (?, ?, ?, ?, ?, ?)",
      tenantId,
      id,
      created.feed_id,
      created.feed_owner_id,
      created.name,
      created.urn
    )
    return created
  }
)

/** The first after one that is there. A request may name the largest there is: the last plus one would be none. */
const freeId = query(
  Schema.Struct({ id: Schema.NullOr(Schema.Int) }),
  `SELECT MIN(id) + 1 AS id FROM identifier_groups
   WHERE tenant_id = ? AND id BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER - 1}
     AND id + 1 NOT IN (SELECT id FROM identifier_groups WHERE tenant_id = ?)`
)

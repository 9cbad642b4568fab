import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { IdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import { completeGroup, type GroupOfTenant, IdentifierGroupStore } from "../identifier-groups/IdentifierGroups.ts"
import { query } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"

export const IdentifierGroupStoreSqlite = Layer.effect(
  IdentifierGroupStore,
  Effect.map(Database, ({ write }) => IdentifierGroupStore.of({ put: (group) => write(put, group) }))
)

const put = procedure("IdentifierGroupStore.put", ({ connection }, given: GroupOfTenant): IdentifierGroup => {
  const { group, tenantId } = given
  const completed = completeGroup(group.id ?? connection.first(freeId, tenantId, tenantId)?.id ?? 1, given)
  connection.run(
    "INSERT OR REPLACE INTO identifier_groups (tenant_id, id, feed_id, feed_owner_id, name, urn) VALUES (?, ?, ?, ?, ?, ?)",
    tenantId,
    completed.id,
    completed.feed_id,
    completed.feed_owner_id,
    completed.name,
    completed.urn
  )
  return completed
})

/** The smallest free id after one that is taken. A request may name the largest integer: the last plus one would be none. */
const freeId = query(
  Schema.Struct({ id: Schema.NullOr(Schema.Int) }),
  `SELECT MIN(id) + 1 AS id FROM identifier_groups
   WHERE tenant_id = ? AND id BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER - 1}
     AND id + 1 NOT IN (SELECT id FROM identifier_groups WHERE tenant_id = ?)`
)

export const identifierGroupProcedures = [put]

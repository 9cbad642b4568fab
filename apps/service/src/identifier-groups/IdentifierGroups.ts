import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { IdentifierGroup, NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import { query } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import { procedure } from "../sqlite/Procedure.ts"

/** Groups of identifiers. Each tenant has ids of its own. */
export class IdentifierGroups extends Context.Service<
  IdentifierGroups,
  {
    /**
     * A group with the id of one of the tenant's groups replaces it. The group belongs to the tenant, whatever the request
     * says. See docs/api.md#create-an-identifier-group.
     */
    create(tenantId: number, group: NewIdentifierGroup): Effect.Effect<IdentifierGroup>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups") {
  static readonly layer = Layer.effect(
    IdentifierGroups,
    Effect.gen(function* () {
      const store = yield* IdentifierGroupStore
      return IdentifierGroups.of({
        create: Effect.fn("IdentifierGroups.create")((tenantId, group) => store.put({ tenantId, group }))
      })
    })
  )
}

/** Where groups of identifiers are stored, completed by {@link completeGroup}. Each engine has a layer of it. */
export class IdentifierGroupStore extends Context.Service<
  IdentifierGroupStore,
  {
    /** Assigns a free id if the group has none. */
    put(group: GroupOfTenant): Effect.Effect<IdentifierGroup>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups/IdentifierGroupStore") {
  static readonly layerSqlite = Layer.effect(
    IdentifierGroupStore,
    Effect.map(Database, ({ write }) => IdentifierGroupStore.of({ put: (group) => write(put, group) }))
  )
}

interface GroupOfTenant {
  readonly tenantId: number
  readonly group: NewIdentifierGroup
}

/** Unless the request says otherwise, a group is a feed of its own, which the tenant owns. */
export const completeGroup = (id: number, { group, tenantId }: GroupOfTenant): IdentifierGroup => ({
  id,
  tenant_id: tenantId,
  feed_id: group.feed_id ?? id,
  feed_owner_id: group.feed_owner_id ?? tenantId,
  name: group.name ?? "",
  urn: group.urn ?? `urn:threat-exposure:identifier-group:${id}`
})

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

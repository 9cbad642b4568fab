import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import {
  changeGroup,
  completeGroup,
  type GroupChange,
  groupCounter,
  type GroupOfTenant,
  IdentifierGroupStore,
  isCounted,
  maxGroups,
  refuseGroup
} from "../identifier-groups/IdentifierGroupStore.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { nextNumber, passNumber } from "./database/Numbers.ts"
import { procedure } from "./database/Procedure.ts"
import { orNotFound, requireFound } from "../requests/NotFound.ts"
import { transferredGroups } from "../transfer/TransferredTables.ts"

export const IdentifierGroupStoreSqlite = Layer.effect(
  IdentifierGroupStore,
  Effect.map(Database, ({ lookUp, read, write }) =>
    IdentifierGroupStore.of({
      put: (group) =>
        Effect.flatMap(write(put, group), (stored) => (stored === undefined ? refuseGroup : Effect.succeed(stored))),
      list: (tenantId) => read(list, tenantId),
      find: (tenantId, id) => orNotFound(lookUp(({ connection }) => connection.first(groupOf, tenantId, id))),
      update: (change) => orNotFound(write(update, change)),
      delete: (tenantId, id) => requireFound(write(remove, { tenantId, id }))
    })
  )
)

const put = procedure(
  "IdentifierGroupStore.put",
  ({ connection }, given: GroupOfTenant): IdentifierGroup | undefined => {
    const { group, tenantId } = given
    const isNew = group.id == null || connection.first(groupOf, tenantId, group.id) === undefined
    if (isNew && connection.count("FROM identifier_groups WHERE tenant_id = ?", tenantId) >= maxGroups) return undefined
    const counter = groupCounter(tenantId)
    if (group.id != null && isCounted(group.id)) passNumber(connection, counter, group.id)
    const id = group.id ?? nextNumber(connection, counter)
    const completed = completeGroup(id, given)
    connection.replace("identifier_groups", { ...completed, tenant_id: tenantId })
    return completed
  }
)

const list = procedure(
  "IdentifierGroupStore.list",
  ({ connection }, tenantId: number): ReadonlyArray<IdentifierGroup> => connection.own(groupsOf, [tenantId])
)

const update = procedure(
  "IdentifierGroupStore.update",
  ({ connection }, { change, id, tenantId }: GroupChange): IdentifierGroup | undefined => {
    const stored = connection.first(groupOf, tenantId, id)
    if (stored === undefined) return undefined
    const changed = changeGroup(stored, change)
    connection.replace("identifier_groups", { ...changed, tenant_id: tenantId })
    return changed
  }
)

const remove = procedure(
  "IdentifierGroupStore.delete",
  ({ connection }, { id, tenantId }: { readonly tenantId: number; readonly id: number }): boolean => {
    connection.run("UPDATE identifiers SET group_id = NULL WHERE tenant_id = ? AND group_id = ?", tenantId, id)
    return connection.run("DELETE FROM identifier_groups WHERE tenant_id = ? AND id = ?", tenantId, id).changes > 0
  }
)

const { row: Group } = transferredGroups

const groupOf = select(Group, "FROM identifier_groups WHERE tenant_id = ? AND id = ?")

const groupsOf = select(Group, "FROM identifier_groups WHERE tenant_id = ? ORDER BY id")

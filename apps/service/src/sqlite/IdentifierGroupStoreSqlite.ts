import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import {
  changeGroup,
  completeGroup,
  groupCounter,
  IdentifierGroupStore,
  isCounted,
  maxGroups,
  refuseGroup
} from "../identifier-groups/IdentifierGroupStore.ts"
import { select } from "./database/Connection.ts"
import { nextNumber, passNumber } from "./database/Numbers.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { orNotFound, requireFound } from "../requests/NotFound.ts"
import { transferredGroups } from "../transfer/TransferredTables.ts"

export const IdentifierGroupStoreSqlite = storeLayer(IdentifierGroupStore)(({ lookUp, read, write }) => ({
  put: flow(
    write("put", ({ connection }, tenantId, group) => {
      const isNew = group.id == null || connection.first(groupOf, tenantId, group.id) === undefined
      if (isNew && connection.count("FROM identifier_groups WHERE tenant_id = ?", tenantId) >= maxGroups)
        return undefined
      const counter = groupCounter(tenantId)
      if (group.id != null && isCounted(group.id)) passNumber(connection, counter, group.id)
      const id = group.id ?? nextNumber(connection, counter)
      const completed = completeGroup(tenantId, id, group)
      connection.replace("identifier_groups", { ...completed, tenant_id: tenantId })
      return completed
    }),
    Effect.flatMap((stored) => (stored === undefined ? refuseGroup : Effect.succeed(stored)))
  ),
  list: read("list", ({ connection }, tenantId) => connection.own(groupsOf, [tenantId])),
  find: flow(
    lookUp(({ connection }, tenantId, id) => connection.first(groupOf, tenantId, id)),
    orNotFound
  ),
  update: flow(
    write("update", ({ connection }, tenantId, id, change) => {
      const stored = connection.first(groupOf, tenantId, id)
      if (stored === undefined) return undefined
      const changed = changeGroup(stored, change)
      connection.replace("identifier_groups", { ...changed, tenant_id: tenantId })
      return changed
    }),
    orNotFound
  ),
  delete: flow(
    write("delete", ({ connection }, tenantId, id) => {
      connection.run("UPDATE identifiers SET group_id = NULL WHERE tenant_id = ? AND group_id = ?", tenantId, id)
      return connection.run("DELETE FROM identifier_groups WHERE tenant_id = ? AND id = ?", tenantId, id).changes > 0
    }),
    requireFound
  )
}))

const { row: Group } = transferredGroups

const groupOf = select(Group, "FROM identifier_groups WHERE tenant_id = ? AND id = ?")

const groupsOf = select(Group, "FROM identifier_groups WHERE tenant_id = ? ORDER BY id")

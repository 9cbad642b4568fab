import { maxMembers, TenantStore } from "../tenants/Tenants.ts"
import { select } from "./database/Connection.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { transferredMembers } from "../transfer/TransferredTables.ts"

export const TenantStoreSqlite = storeLayer(TenantStore)(({ read, write }) => ({
  putMembers: write("putMembers", ({ connection }, { addedAt, members, tenantId }) => {
    const added = [...new Set(members.map(({ userId }) => userId))]
    const others = connection.count(
      "FROM tenant_users WHERE tenant_id = ? AND user_id NOT IN (SELECT value FROM json_each(?))",
      tenantId,
      JSON.stringify(added)
    )
    if (others + added.length > maxMembers) return false
    for (const { isReadonly, role, userId } of members) {
      connection.run(
        `INSERT INTO tenant_users (tenant_id, user_id, is_readonly, role, added_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET is_readonly = excluded.is_readonly, role = excluded.role`,
        tenantId,
        userId,
        isReadonly ? 1 : 0,
        role,
        addedAt
      )
    }
    return true
  }),
  members: read("members", ({ connection }, tenantId) => connection.own(membersOf, [tenantId])),
  removeMember: write(
    "removeMember",
    ({ connection }, tenantId, userId) =>
      connection.run("DELETE FROM tenant_users WHERE tenant_id = ? AND user_id = ?", tenantId, userId).changes > 0
  )
}))

const membersOf = select(transferredMembers.row, "FROM tenant_users WHERE tenant_id = ? ORDER BY user_id")

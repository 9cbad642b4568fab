import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type AddedMembers, type Member, TenantStore } from "../tenants/Tenants.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"

export const TenantStoreSqlite = Layer.effect(
  TenantStore,
  Effect.map(Database, ({ read, write }) =>
    TenantStore.of({
      putMembers: (added) => write(putMembers, added),
      members: (tenantId) => read(listMembers, tenantId),
      removeMember: (tenantId, userId) => write(removeMember, { tenantId, userId })
    })
  )
)

const putMembers = procedure(
  "TenantStore.putMembers",
  ({ connection }, { addedAt, members, tenantId }: AddedMembers): void => {
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
  }
)

const listMembers = procedure("TenantStore.members", ({ connection }, tenantId: number): ReadonlyArray<Member> =>
  connection.own(membersOf, [tenantId])
)

const removeMember = procedure(
  "TenantStore.removeMember",
  ({ connection }, { tenantId, userId }: { readonly tenantId: number; readonly userId: number }): boolean =>
    connection.run("DELETE FROM tenant_users WHERE tenant_id = ? AND user_id = ?", tenantId, userId).changes > 0
)

const membersOf = select(
  Schema.Struct({ userId: Schema.Int, isReadonly: Schema.BooleanFromBit, role: Schema.String }),
  "FROM tenant_users WHERE tenant_id = ? ORDER BY user_id"
)

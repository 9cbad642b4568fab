import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AddedMembers, TenantStore } from "../tenants/Tenants.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"

export const TenantStoreSqlite = Layer.effect(
  TenantStore,
  Effect.map(Database, ({ write }) => TenantStore.of({ putMembers: (added) => write(putMembers, added) }))
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

export const tenantProcedures = [putMembers]

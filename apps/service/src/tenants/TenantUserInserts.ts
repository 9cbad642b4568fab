import type { TenantUser } from "@threat-exposure/core/domain/Tenant"
import { procedure } from "../sqlite/Procedure.ts"

export interface UsersToAdd {
  readonly tenantId: number
  readonly users: ReadonlyArray<TenantUser>
  /** ISO 8601. */
  readonly now: string
}

/** One who belongs to the tenant already gets the new role. Without a role, a user is a `viewer`, and readonly. */
export const addUsersJob = procedure(
  "tenants.addUsers",
  ({ connection }, { now, tenantId, users }: UsersToAdd): void => {
    for (const { is_readonly, role = "viewer", user_id } of users) {
      connection.run(
        `INSERT INTO tenant_users (tenant_id, user_id, is_readonly, role, added_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET is_readonly = excluded.is_readonly, role = excluded.role`,
        tenantId,
        user_id,
        (is_readonly ?? role === "viewer") ? 1 : 0,
        role,
        now
      )
    }
  }
)

/** Deletes what belongs to a tenant, in every table with a column `tenant_id`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class TenantDeletion extends Context.Service<
  TenantDeletion,
  {
    count(tenantId: number): Effect.Effect<TenantRows>
    /** Its keys first: a running service refuses them from then on. Cut off, it may be started again. */
    delete(tenantId: number): Effect.Effect<void>
  }
>()("@threat-exposure/service/tenants/TenantDeletion") {}

/** Rows by table, without the tables that have none of the tenant's. */
export type TenantRows = ReadonlyArray<{ readonly table: string; readonly rows: number }>

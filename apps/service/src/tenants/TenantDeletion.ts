/** Deletes all data of a tenant, in every table with a column `tenant_id`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class TenantDeletion extends Context.Service<
  TenantDeletion,
  {
    count(tenantId: number): Effect.Effect<TenantRows>
    /**
     * Deletes the keys first, so that running services refuse them from then on. An interrupted deletion can be
     * repeated.
     */
    delete(tenantId: number): Effect.Effect<void>
  }
>()("@threat-exposure/service/tenants/TenantDeletion") {}

/** Rows per table, without tables that contain no rows of the tenant. */
export type TenantRows = ReadonlyArray<{ readonly table: string; readonly rows: number }>

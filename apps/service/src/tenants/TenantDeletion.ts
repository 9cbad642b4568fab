import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class TenantDeletion extends Context.Service<
  TenantDeletion,
  {
    count(tenantId: number): Effect.Effect<TenantRows>
    /** Deletes the keys first, so that running services refuse them. An interrupted deletion can be repeated. */
    delete(tenantId: number): Effect.Effect<void>
  }
>()("@threat-exposure/service/tenants/TenantDeletion") {}

/** Rows per table, without tables that contain no rows of the tenant. */
export type TenantRows = ReadonlyArray<{ readonly table: string; readonly rows: number }>

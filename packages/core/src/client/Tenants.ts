/** Who belongs to a tenant. See docs/api.md#add-users-to-a-tenant. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tenants as endpoints } from "../api/Endpoints.ts"
import type { AddUsers } from "../domain/Tenant.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const addUsers = operation(endpoints.addUsers)

/** See docs/api.md#add-users-to-a-tenant. */
export class Tenants extends Context.Service<
  Tenants,
  {
    /** Never retried. Needs the permission Write Tenant Admin. */
    readonly addUsers: (tenantId: number, request: RequestInput<AddUsers>) => Effect.Effect<void, ApiError>
  }
>()("@threat-exposure/core/client/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.map(ApiClient, ({ transport }) =>
      Tenants.of({
        addUsers: (tenantId, request) =>
          invoke(transport, addUsers, { params: { tenant_id: tenantId }, payload: request })
      })
    )
  )
}

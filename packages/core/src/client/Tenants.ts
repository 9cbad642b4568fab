/** Who belongs to a tenant. See docs/api.md#add-users-to-a-tenant. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tenants } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface TenantsMethods extends Methods<typeof tenants> {}

/** Who belongs to a tenant. */
export class Tenants extends Context.Service<Tenants, TenantsMethods>()("@threat-exposure/core/client/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.map(ApiClient, ({ transport }) => Tenants.of(methods(transport, tenants)))
  )
}

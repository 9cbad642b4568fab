import * as Context from "effect/Context"
import { tenants } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface TenantsMethods extends Methods<typeof tenants> {}

/** Tenants and their users. */
export class Tenants extends Context.Service<Tenants, TenantsMethods>()("@threat-exposure/core/client/Tenants") {
  static readonly layer = layerOf(this, tenants)
}

import * as Context from "effect/Context"
import { identifierGroups } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface IdentifierGroupsMethods extends Methods<typeof identifierGroups> {}

/** Groups of monitored assets, in the older v2 interface. */
export class IdentifierGroups extends Context.Service<IdentifierGroups, IdentifierGroupsMethods>()(
  "@threat-exposure/core/client/IdentifierGroups"
) {
  static readonly layer = layerOf(this, identifierGroups)
}

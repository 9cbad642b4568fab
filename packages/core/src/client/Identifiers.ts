/** Monitored assets. See docs/api.md#create-an-identifier. */
import * as Context from "effect/Context"
import { identifiers } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface IdentifiersMethods extends Methods<typeof identifiers> {}

export class Identifiers extends Context.Service<Identifiers, IdentifiersMethods>()(
  "@threat-exposure/core/client/Identifiers"
) {
  static readonly layer = layerOf(this, identifiers)
}

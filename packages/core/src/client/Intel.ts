import * as Context from "effect/Context"
import { intel } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface IntelMethods extends Methods<typeof intel> {}

/** Questions to the threat-intelligence generator. */
export class Intel extends Context.Service<Intel, IntelMethods>()("@threat-exposure/core/client/Intel") {
  static readonly layer = layerOf(this, intel)
}

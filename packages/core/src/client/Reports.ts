import * as Context from "effect/Context"
import { reports } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface ReportsMethods extends Methods<typeof reports> {}

/** Reports of a tenant. */
export class Reports extends Context.Service<Reports, ReportsMethods>()("@threat-exposure/core/client/Reports") {
  static readonly layer = layerOf(this, reports)
}

/** Reports of a tenant. See docs/api.md#create-a-report. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { reports } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface ReportsMethods extends Methods<typeof reports> {}

/** Reports of a tenant. */
export class Reports extends Context.Service<Reports, ReportsMethods>()("@threat-exposure/core/client/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.map(ApiClient, ({ transport }) => Reports.of(methods(transport, reports)))
  )
}

/** See docs/api.md#create-a-report. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { reports as endpoints } from "../api/Endpoints.ts"
import type { NewReport } from "../domain/Report.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const create = operation(endpoints.create)

/** See docs/api.md#create-a-report. */
export class Reports extends Context.Service<
  Reports,
  {
    /** Never retried. */
    readonly create: (request: RequestInput<NewReport>) => Effect.Effect<void, ApiError>
  }
>()("@threat-exposure/core/client/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.map(ApiClient, ({ transport }) =>
      Reports.of({ create: (request) => invoke(transport, create, { payload: request }) })
    )
  )
}

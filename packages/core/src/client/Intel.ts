/** Questions to the threat-intelligence generator. See docs/api.md#ask-for-intelligence. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { intel as endpoints } from "../api/Endpoints.ts"
import type { IntelQuestion, IntelRequest } from "../domain/Intel.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { invoke, operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const question = operation(endpoints.ask)

/** See docs/api.md#ask-for-intelligence. */
export class Intel extends Context.Service<
  Intel,
  {
    /** Never retried. Returns the id of the request; no operation retrieves the answer to the question. */
    readonly ask: (request: RequestInput<IntelQuestion>) => Effect.Effect<IntelRequest, ApiError>
  }
>()("@threat-exposure/core/client/Intel") {
  static readonly layer = Layer.effect(
    Intel,
    Effect.map(ApiClient, ({ transport }) =>
      Intel.of({ ask: (request) => invoke(transport, question, { payload: request }) })
    )
  )
}

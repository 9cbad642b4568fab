import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { Intel } from "./Intel.ts"

export const IntelHandlers = HttpApiBuilder.group(
  Api,
  "intel",
  Effect.fnUntraced(function* (handlers) {
    const intel = yield* Intel
    return handlers.handleAll({
      ask: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        return { request_id: yield* intel.ask(tenantId, payload) }
      })
    })
  })
)

import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { refuseCursor } from "../requests/ValidationFaults.ts"
import { Recommendations } from "./Recommendations.ts"

export const RecommendationHandlers = HttpApiBuilder.group(
  Api,
  "recommendations",
  Effect.fnUntraced(function* (handlers) {
    const recommendations = yield* Recommendations
    return handlers.handleAll({
      list: Effect.fnUntraced(
        function* ({ query }) {
          const { tenantId } = yield* Caller
          return yield* recommendations.list(tenantId, query)
        },
        Effect.catchTag("CursorInvalid", refuseCursor("query"))
      )
    })
  })
)

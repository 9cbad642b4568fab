import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { Database } from "../sqlite/Database.ts"
import { recommendationsJob } from "./RecommendationPages.ts"

/** See docs/api.md#list-recommendations. */
export const RecommendationHandlers = HttpApiBuilder.group(
  Api,
  "recommendations",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { tenantId } = yield* Caller
        const result = yield* database.read(recommendationsJob, { tenantId, list: query })
        if (result._tag === "CursorInvalid") {
          return yield* new ValidationFailed({ detail: [invalidCursor("query")] })
        }
        return { items: result.items, next: result.next }
      })
    })
  })
)

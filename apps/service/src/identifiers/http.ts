import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { V2Failure } from "@threat-exposure/core/domain/Failures"
import { Identifiers } from "./Identifiers.ts"

export const IdentifierHandlers = HttpApiBuilder.group(
  Api,
  "identifiers",
  Effect.fnUntraced(function* (handlers) {
    const identifiers = yield* Identifiers
    return handlers.handleAll({
      create: Effect.fnUntraced(
        function* ({ payload }) {
          const { tenantId } = yield* Caller
          return { asset: yield* identifiers.create(tenantId, payload) }
        },
        Effect.catchTag("QueryStringInvalid", ({ position, reason }) =>
          Effect.fail(
            new V2Failure({
              code: "INVALID_QUERY",
              message: `The search query cannot be read at character ${position}: ${reason}`
            })
          )
        )
      )
    })
  })
)

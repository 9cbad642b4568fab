import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { IdentifierGroups } from "./IdentifierGroups.ts"

export const IdentifierGroupHandlers = HttpApiBuilder.group(
  Api,
  "identifierGroups",
  Effect.fnUntraced(function* (handlers) {
    const groups = yield* IdentifierGroups
    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        return { assets_group: yield* groups.create(tenantId, payload) }
      })
    })
  })
)

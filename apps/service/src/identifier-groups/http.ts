import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Database } from "../sqlite/Database.ts"
import { createIdentifierGroupJob } from "./IdentifierGroupInserts.ts"

/** See docs/api.md#create-an-identifier-group. */
export const IdentifierGroupHandlers = HttpApiBuilder.group(
  Api,
  "identifierGroups",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        return { assets_group: yield* database.write(createIdentifierGroupJob, { tenantId, group: payload }) }
      })
    })
  })
)

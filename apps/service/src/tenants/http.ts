import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Database } from "../sqlite/Database.ts"
import { addUsersJob } from "./TenantUserInserts.ts"

/** See docs/api.md#add-users-to-a-tenant. For a key, only its own tenant exists. */
export const TenantHandlers = HttpApiBuilder.group(
  Api,
  "tenants",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      addUsers: Effect.fnUntraced(function* ({ params, payload }) {
        const { tenantId } = yield* Caller
        if (params.tenant_id !== tenantId) return yield* new NotFound()
        const now = DateTime.formatIso(yield* DateTime.now)
        yield* database.write(addUsersJob, { tenantId, users: payload.users, now })
      })
    })
  })
)

import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { Tenants } from "./Tenants.ts"

export const TenantHandlers = HttpApiBuilder.group(
  Api,
  "tenants",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    return handlers.handleAll({
      addUsers: Effect.fnUntraced(function* ({ params, payload }) {
        const { tenantId } = yield* Caller
        yield* tenants.addUsers(tenantId, params.tenant_id, payload.users)
      })
    })
  })
)

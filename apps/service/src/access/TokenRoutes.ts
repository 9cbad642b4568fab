/** `POST /tokens/generate` and `GET /tokens/test`, outside the path prefix. See docs/api.md#exchange-an-api-key. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { tokens } from "@threat-exposure/core/api/Endpoints"
import { errorBody, statuses } from "@threat-exposure/core/domain/ErrorBody"
import type { TokenDescription, TokenRequest } from "@threat-exposure/core/domain/Token"
import { bodyDecoder } from "../requests/RequestDecoder.ts"
import { jsonAnswer, type Route } from "../requests/ServedRequest.ts"
import { Authorization, bearerToken } from "./Authorization.ts"

export const tokenRoutes = Effect.map(Authorization, ({ authorize, exchange }): ReadonlyArray<Route> => [
  {
    ...tokens.generate,
    operation: "tokens.generate",
    answer: Effect.fnUntraced(function* ({ body, headers, record }) {
      const { answer, tenantId } = yield* exchange(headers.authorization?.trim() ?? "", record)
      const { tenant_id } = yield* Effect.fromResult(decodeOptional(yield* body.whole))
      return tenant_id == null || tenant_id === tenantId ? jsonAnswer(answer) : refusedTenant
    })
  },
  {
    ...tokens.test,
    operation: "tokens.test",
    answer: Effect.fnUntraced(function* ({ headers, record }) {
      const { permissions, tenantId } = yield* authorize(tokens.test, bearerToken(headers.authorization), record)
      return jsonAnswer({
        tenant_id: tenantId,
        user_id: null,
        scopes: [...permissions]
      } satisfies TokenDescription)
    })
  }
])

const refusedTenant = {
  ...jsonAnswer(
    errorBody.v4({
      code: "FORBIDDEN",
      message: "The API key belongs to another tenant: leave out tenant_id, or use a key of that tenant"
    })
  ),
  status: statuses.Forbidden
}

const decodeOptional = (body: Uint8Array) =>
  body.length === 0 ? Result.succeed<TokenRequest>({}) : decodeRequest(body)

const decodeRequest = bodyDecoder(tokens.generate.payload)

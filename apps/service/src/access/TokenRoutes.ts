/** `POST /tokens/generate` and `GET /tokens/test`, outside the path prefix. See docs/api.md#exchange-an-api-key. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { tokens } from "@threat-exposure/core/api/Endpoints"
import { errorBody, statuses } from "@threat-exposure/core/domain/ErrorBody"
import {
  encodeFailure,
  type RateLimited,
  type Unauthorized,
  type ValidationFailed
} from "@threat-exposure/core/domain/Failures"
import type { TokenDescription, TokenRequest } from "@threat-exposure/core/domain/Token"
import { limitHeaders } from "../limits/http.ts"
import { nameRequest } from "../observability/RequestLog.ts"
import { bodyDecoder } from "../requests/JsonBody.ts"
import { Authorization, bearerToken } from "./Authorization.ts"

export const TokenRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { exchange, identify } = yield* Authorization

    yield* router.add(
      tokens.generate.method,
      tokens.generate.path,
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        yield* nameRequest(tokens.generate.operation)
        const { answer, tenantId } = yield* exchange(request.headers["authorization"]?.trim() ?? "")
        const { tenant_id } = yield* Effect.fromResult(bodyOf(yield* Effect.orDie(request.arrayBuffer)))
        return tenant_id == null || tenant_id === tenantId
          ? HttpServerResponse.jsonUnsafe(answer)
          : HttpServerResponse.jsonUnsafe(ofAnotherTenant, { status: statuses.Forbidden })
      }, Effect.catch(refused))
    )

    yield* router.add(
      tokens.test.method,
      tokens.test.path,
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        yield* nameRequest(tokens.test.operation)
        const { permissions, tenantId } = yield* identify(bearerToken(request.headers["authorization"]))
        const description: TokenDescription = { tenant_id: tenantId, user_id: null, scopes: [...permissions] }
        return HttpServerResponse.jsonUnsafe(description)
      }, Effect.catch(refused))
    )
  })
)

const ofAnotherTenant = errorBody.v4({
  code: "FORBIDDEN",
  message: "The API key belongs to another tenant: leave out tenant_id, or use a key of that tenant"
})

const refused = (failure: Unauthorized | RateLimited | ValidationFailed) => {
  const { body, status } = encodeFailure(failure, "v4")
  const headers = failure._tag === "RateLimited" ? limitHeaders(failure) : {}
  return Effect.succeed(HttpServerResponse.jsonUnsafe(body, { status, headers }))
}

/** The body is optional. */
const bodyOf = (body: ArrayBuffer) => (body.byteLength === 0 ? Result.succeed<TokenRequest>({}) : decodeBody(body))

const decodeBody = bodyDecoder(tokens.generate.payload)

/** `POST /tokens/generate` and `GET /tokens/test`, outside the path prefix. See docs/api.md#exchange-an-api-key. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { encodeFailure, Forbidden, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { type TokenDescription, TokenRequest } from "@threat-exposure/core/domain/Token"
import { limitHeaders } from "../limits/RetryAfter.ts"
import { isTooDeep } from "../requests/JsonDepth.ts"
import { faultsOf, invalidJson, tooDeep } from "../requests/ValidationFaults.ts"
import { bearerToken, Gate, type Refusal } from "./Gate.ts"

export const TokenRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const gate = yield* Gate

    yield* router.add(
      "POST",
      "/tokens/generate",
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const apiKey = request.headers["authorization"]?.trim() ?? ""
        const exchanged = gate.exchange(apiKey, yield* Clock.currentTimeMillis)
        if (exchanged instanceof Error) return refused(exchanged)
        const body = bodyOf(yield* Effect.orDie(request.text))
        if (Result.isFailure(body)) return refused(body.failure)
        const { tenant_id } = body.success
        return tenant_id == null || tenant_id === exchanged.tenantId
          ? HttpServerResponse.jsonUnsafe(exchanged.answer)
          : refused(new Forbidden({ permission: null }))
      })
    )

    yield* router.add(
      "GET",
      "/tokens/test",
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const key = gate.identify(bearerToken(request.headers["authorization"]), yield* Clock.currentTimeMillis)
        if (key instanceof Error) return refused(key)
        const description: TokenDescription = { tenant_id: key.tenantId, user_id: null, scopes: [...key.permissions] }
        return HttpServerResponse.jsonUnsafe(description)
      })
    )
  })
)

const refused = (failure: Refusal | ValidationFailed) => {
  const { body, status } = encodeFailure(failure, "v4")
  return HttpServerResponse.jsonUnsafe(body, {
    status,
    ...(failure._tag === "RateLimited" ? { headers: limitHeaders(failure) } : undefined)
  })
}

/** The body is optional. */
const bodyOf = (text: string): Result.Result<TokenRequest, ValidationFailed> => {
  if (text === "") return Result.succeed({})
  if (isTooDeep(text)) return Result.fail(new ValidationFailed({ detail: [tooDeep] }))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail(new ValidationFailed({ detail: [invalidJson] }))
  }
  return Result.mapError(
    decodeRequest(json),
    ({ issue }) => new ValidationFailed({ detail: faultsOf("body", issue, json) })
  )
}

const decodeRequest = Schema.decodeUnknownResult(TokenRequest, { errors: "all" })

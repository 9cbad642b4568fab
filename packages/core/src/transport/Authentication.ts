import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { tierOf, tokens } from "../api/Endpoints.ts"
import { type AttemptFailure, retrying } from "./AttemptFailure.ts"
import type { ApiResponse, Call } from "./Call.ts"
import { headerValue, type Settings } from "./ClientOptions.ts"
import { monotonicMillis } from "./MonotonicTime.ts"
import { keepToken, renewTokens, type Tokens } from "./Tokens.ts"

/** Sends one request once, as soon as the rate limit of its tier admits it, and returns the response if it is a 2xx. */
export type SendOnce = (
  request: HttpClientRequest.HttpClientRequest,
  call: Pick<Call, "isRead" | "method" | "operation" | "path" | "tier">,
  options: {
    /** Milliseconds from sending the request to the end of the response. */
    readonly timeout: number
    /** When the call expires, in {@link monotonicMillis}. */
    readonly expiresAt: number
    /** Values to remove from headers that the caller sees. */
    readonly secrets: Iterable<string>
    /** Called when the request is sent; returns the number of the attempt. */
    readonly countAttempt: () => number
  }
) => Effect.Effect<ApiResponse, AttemptFailure>

export const makeTokens = (settings: Settings, sendOnce: SendOnce): Tokens<AttemptFailure> => {
  const { authentication } = settings
  switch (authentication._tag) {
    case "Constant":
      return keepToken(authentication.token)
    case "Source":
      return renewTokens(
        Effect.tryPromise({
          try: async () => authentication.ask(),
          catch: () => noToken("the function that returns the token failed")
        }).pipe(Effect.flatMap(checkToken)),
        Number.POSITIVE_INFINITY
      )
    case "Key":
      return renewTokens(exchange(authentication, settings, sendOnce), tokenLifetime)
  }
}

/** The name of the exchange. Its response is not reported as a response to the call that needs the token. */
export const exchangeOperation = "Tokens.generate"

/** Milliseconds after which a token is renewed; a token is valid for one hour. */
const tokenLifetime = 45 * 60_000

const noToken = (reason: string, response?: ApiResponse): AttemptFailure =>
  response === undefined ? { _tag: "NoToken", reason } : { _tag: "NoToken", reason, response }

const checkToken = (token: unknown) =>
  Effect.fromResult(Result.mapError(headerValue("token", token), (rule) => noToken(rule)))

/** Exchanges the API key for a token: see docs/api.md#exchange-an-api-key. Idempotent, so it has its own retries. */
const exchange = (
  { apiKey, tenantId }: Extract<Settings["authentication"], { readonly _tag: "Key" }>,
  { baseUrl, limits, retryDelay }: Settings,
  sendOnce: SendOnce
): Effect.Effect<string, AttemptFailure> => {
  const { isRead, method, path } = tokens.generate
  const call = { operation: exchangeOperation, method, path, isRead, tier: tierOf(tokens.generate) }
  const bare = HttpClientRequest.post(`${baseUrl}${path}`, {
    headers: { authorization: apiKey, accept: "application/json" }
  })
  const request =
    tenantId === undefined
      ? bare
      : HttpClientRequest.bodyText(bare, JSON.stringify({ tenant_id: tenantId }), "application/json")

  return Effect.gen(function* () {
    let attempts = 0
    const expiresAt = (yield* monotonicMillis) + limits.deadline
    const attempt = sendOnce(request, call, {
      secrets: [apiKey],
      timeout: limits.timeout,
      expiresAt,
      countAttempt: () => ++attempts
    })
    const response = yield* retrying(attempt, { retries: limits.retries, retryDelay, expiresAt }).pipe(
      Effect.mapError((failure) =>
        failure._tag === "Refused" && (failure.response.status === 401 || failure.response.status === 403)
          ? noToken("the service refused the API key", failure.response)
          : failure
      ),
      Effect.mapError((failure): AttemptFailure => ({ _tag: "ExchangeFailed", failure, attempts }))
    )
    return yield* Option.match(Option.flatMap(Result.getSuccess(response.body), tokenOf), {
      onSome: checkToken,
      onNone: () =>
        Effect.fail(noToken("the service did not answer the API key with a token: check the base URL", response))
    })
  })
}

const tokenOf = (body: unknown): Option.Option<string> => Option.map(decodeToken(body), ({ token }) => token)

const decodeToken = Schema.decodeUnknownOption(Schema.Struct({ token: Schema.String }))

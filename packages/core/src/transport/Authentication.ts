/** Where a client's tokens come from: what it was given, whom it was told to ask, or the exchange of its API key. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Unauthorized } from "./ApiError.ts"
import type { Call } from "./Call.ts"
import { headerValue, type Settings } from "./ClientOptions.ts"
import type { RoundTrip } from "./RoundTrip.ts"
import { retryAfterOf, type AttemptFailure } from "./AttemptFailure.ts"
import { constantToken, renewedTokens, type Tokens } from "./Tokens.ts"

/** Milliseconds after which a token is renewed: it lives an hour. */
const tokenLifetime = 45 * 60_000

export const makeTokens = (settings: Settings, roundTrip: RoundTrip): Tokens<AttemptFailure> => {
  const { authentication, baseUrl } = settings
  const refuse = (reason: string): AttemptFailure => ({
    _tag: "Final",
    error: new Unauthorized({ operation: "authentication", reason })
  })
  const usable = (token: unknown) => Effect.fromResult(Result.mapError(headerValue("token", token), refuse))

  switch (authentication._tag) {
    case "Constant":
      return constantToken(authentication.token)
    case "Source":
      return renewedTokens(
        Effect.tryPromise({
          try: async () => authentication.ask(),
          catch: () => refuse("the function that gives the token failed")
        }).pipe(Effect.flatMap(usable)),
        Number.POSITIVE_INFINITY
      )
    case "Key": {
      const call: Call = {
        operation: "exchange of the API key",
        method: "POST",
        path: "",
        body: undefined,
        secrets: [authentication.apiKey],
        permission: undefined,
        tier: "basic",
        isRead: false
      }
      const request = HttpClientRequest.post(`${baseUrl}/tokens/generate`, {
        headers: { authorization: authentication.apiKey, accept: "application/json" }
      }).pipe((request) =>
        authentication.tenantId === undefined
          ? request
          : HttpClientRequest.bodyText(
              request,
              JSON.stringify({ tenant_id: authentication.tenantId }),
              "application/json"
            )
      )
      return renewedTokens(
        roundTrip(request, call).pipe(
          Effect.flatMap(({ answer, headers }) => {
            if (answer.status >= 200 && answer.status < 300) {
              return Option.match(Option.flatMap(Result.getSuccess(answer.body), tokenOf), {
                onSome: usable,
                onNone: () =>
                  Effect.fail(
                    refuse("the service answered the API key with something else than a token: check the base URL")
                  )
              })
            }
            return answer.status === 401 || answer.status === 403
              ? Effect.fail(refuse("the service refused the API key"))
              : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                  Effect.fail<AttemptFailure>({
                    _tag: "Refused",
                    answer,
                    retryAfter: retryAfterOf(headers, now),
                    by: "exchange"
                  })
                )
          })
        ),
        tokenLifetime
      )
    }
  }
}

const tokenOf = (body: unknown): Option.Option<string> => Option.map(decodeToken(body), ({ token }) => token)

const decodeToken = Schema.decodeUnknownOption(Schema.Struct({ token: Schema.String }))

/** One request on its way: sent, answered in full within the time of one try, and led on inside the service's own origin. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { UnexpectedResponse } from "./ApiError.ts"
import { parsedBody, readBody } from "./ResponseBody.ts"
import { type ApiResponse, type Call, errorContext } from "./Call.ts"
import type { Settings } from "./ClientOptions.ts"
import type { AttemptFailure } from "./AttemptFailure.ts"

/** How many redirects one try follows. */
const mostRedirects = 5

export type RoundTrip = (
  request: HttpClientRequest.HttpClientRequest,
  call: Call
) => Effect.Effect<{ readonly answer: ApiResponse; readonly headers: Headers.Headers }, AttemptFailure>

export const makeRoundTrip =
  (http: HttpClient.HttpClient, { timeout }: Settings): RoundTrip =>
  (request, call) => {
    const scoped = HttpClient.withScope(http)
    const hop = (
      request: HttpClientRequest.HttpClientRequest,
      hops: number
    ): Effect.Effect<Effect.Success<ReturnType<RoundTrip>>, AttemptFailure, Scope.Scope> =>
      Effect.gen(function* () {
        const response = yield* scoped.execute(request)
        // A browser hides where a redirect leads: its status is 0.
        const isRedirect =
          response.status === 0 || (response.status >= 300 && response.status < 400 && response.status !== 304)
        const body = yield* bodyOf(response)
        if (!isRedirect) return { answer: { status: response.status, body }, headers: response.headers }
        const next = redirected(request, response.status, response.headers["location"], call, hops)
        return Result.isSuccess(next) ? yield* hop(next.success, hops + 1) : yield* Effect.fail(next.failure)
      }).pipe(
        Effect.mapError((error): AttemptFailure =>
          error._tag === "HttpClientError" ? { _tag: "NoAnswer", cause: plainCause(error), isStall: false } : error
        )
      )

    const completed = hop(request, 0).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail<AttemptFailure>({
            _tag: "NoAnswer",
            cause: new Error(`not answered in full within ${timeout} ms`),
            isStall: true
          })
      }),
      // No tracing headers, and no span either: it would end with an error that holds the request.
      Effect.provideService(HttpClient.TracerDisabledWhen, constTrue),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
    )

    // To close the scope aborts what is on its way; an answer that is there needs that no more.
    return Effect.flatMap(Scope.make(), (scope) =>
      completed.pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    )
  }

const bodyOf = (response: HttpClientResponse.HttpClientResponse) => {
  const encoding = response.headers["content-encoding"]
  return Option.match(HttpClientResponse.toWeb(response), {
    onNone: () => Effect.map(response.text, (text) => parsedBody(text, encoding)),
    onSome: ({ body }) =>
      body === null
        ? Effect.succeed(parsedBody(""))
        : Effect.tryPromise({
            try: () => readBody(body, encoding),
            catch: (cause) =>
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
              })
          })
  })
}

const redirected = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  location: string | undefined,
  call: Call,
  hops: number
): Result.Result<HttpClientRequest.HttpClientRequest, AttemptFailure> => {
  const refuse = (reason: string) =>
    Result.fail<AttemptFailure>({
      _tag: "Final",
      error: new UnexpectedResponse({ ...errorContext(call), status, reason })
    })
  if (location === undefined || !URL.canParse(location, request.url)) {
    return refuse("it is a redirect that does not say where; check the base URL")
  }
  const target = new URL(location, request.url)
  if (target.origin !== new URL(request.url).origin) {
    return refuse("it is a redirect to another origin, which is not followed; check the base URL")
  }
  if (hops >= mostRedirects) return refuse("it redirects without end; check the base URL")
  // Only 307 and 308 promise that the request goes there unchanged. Repeating a
  // read unchanged is safe anyway; anything else might be lost or done twice.
  if (status !== 307 && status !== 308 && (!call.isRead || (status === 303 && call.method !== "GET"))) {
    return refuse("it is a redirect that would drop the request's body; check the base URL")
  }
  target.hash = ""
  return Result.succeed(HttpClientRequest.setUrl(request, target.href))
}

/** An error that says why, and holds neither the request nor its headers as the original does. */
const plainCause = (error: unknown): Error => {
  const reasons: Array<string> = []
  let at: unknown = error
  while (at instanceof Error && reasons.length < 4) {
    const code = "code" in at && typeof at.code === "string" ? ` (${at.code})` : ""
    // The outermost only repeats the method and the URL.
    if (at !== error || at.cause === undefined) reasons.push(`${at.message.trim()}${code}`)
    at = at.cause
  }
  return new Error(reasons.join(": "))
}

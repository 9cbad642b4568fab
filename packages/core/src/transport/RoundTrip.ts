/** Sends one request and reads its response, within the timeout of one attempt. Follows redirects within the origin. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AttemptFailure } from "./AttemptFailure.ts"
import type { ApiResponse, Call } from "./Call.ts"
import { makeBodyReader, makeFileReader, readStream } from "./ResponseBody.ts"

/** Maximum number of redirects per attempt. */
const maxRedirects = 5

export interface RoundTrip {
  readonly response: ApiResponse
  readonly headers: Headers.Headers
}

export const makeRoundTrip = (http: HttpClient.HttpClient, maxBytes: number) => {
  const scoped = HttpClient.withScope(http)

  // Not a generator function per request: V8 allocates a map in the old generation for each, which keeps what the
  // function refers to until a full garbage collection.
  const hop: (
    request: HttpClientRequest.HttpClientRequest,
    call: Pick<Call, "isFile" | "isRead" | "method">,
    hops: number
  ) => Effect.Effect<RoundTrip, HttpClientError.HttpClientError, Scope.Scope> = Effect.fnUntraced(
    function* (request, call, hops) {
      const received = yield* scoped.execute(request)
      const { headers, status } = received
      const body = yield* bodyOf(received, call.isFile === true && status === 200, maxBytes)
      // Browsers hide the target of a redirect, and report status 0.
      const isRedirect = status === 0 || (status >= 300 && status < 400 && status !== 304)
      const next = isRedirect ? followRedirect(request, status, headers["location"], call, hops) : undefined
      if (next !== undefined && Result.isSuccess(next)) return yield* hop(next.success, call, hops + 1)
      const now = yield* Clock.currentTimeMillis
      const response = {
        status,
        body,
        requestId: requestIdOf(headers),
        retryAfter: retryAfterOf(headers, now),
        refusedRedirect: next?.failure
      }
      return { response, headers }
    }
  )

  return (
    request: HttpClientRequest.HttpClientRequest,
    call: Pick<Call, "isFile" | "isRead" | "method">,
    timeout: number
  ): Effect.Effect<RoundTrip, AttemptFailure> => {
    const completed = hop(request, call, 0).pipe(
      Effect.mapError((error): AttemptFailure => ({ _tag: "NoResponse", cause: plainCause(error), isTimeout: false })),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail<AttemptFailure>({
            _tag: "NoResponse",
            cause: new Error(`not answered in full within ${timeout} ms`),
            isTimeout: true
          })
      }),
      // No tracing headers and no span: a span would record an error that contains the request.
      Effect.provideService(HttpClient.TracerDisabledWhen, constTrue),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
    )

    // If it fails, closing the scope aborts the request; after a complete response, there is nothing to abort.
    return Effect.flatMap(Scope.make(), (scope) =>
      completed.pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    )
  }
}

const bodyOf = (response: HttpClientResponse.HttpClientResponse, isFile: boolean, maxBytes: number) => {
  const { "content-encoding": encoding, "content-length": length } = response.headers
  const makeReader = () =>
    isFile ? makeFileReader(maxBytes, encoding === undefined ? length : undefined) : makeBodyReader(maxBytes, encoding)
  return Option.match(HttpClientResponse.toWeb(response), {
    onNone: () => {
      const reader = makeReader()
      return Effect.map(
        Stream.runForEachWhile(decodedStream(response), (bytes) => Effect.sync(() => reader.take(bytes))),
        reader.end
      )
    },
    onSome: ({ body }) =>
      body === null
        ? Effect.succeed(makeReader().end())
        : Effect.tryPromise({
            try: () => readStream(body, makeReader()),
            catch: (cause) =>
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
              })
          })
  })
}

/** The bytes of a body after decompression. `fetch` decompresses gzip and deflate, other clients do not. */
const decodedStream = (response: HttpClientResponse.HttpClientResponse) => {
  const { headers, request, stream } = response
  const format = compressions.find((name) => name === headers["content-encoding"])
  if (format === undefined) return stream
  return Stream.unwrap(
    Effect.map(Stream.toReadableStreamEffect(Stream.map(stream, (bytes) => new Uint8Array(bytes))), (body) =>
      Stream.fromReadableStream({
        evaluate: () => body.pipeThrough(new DecompressionStream(format)),
        onError: (cause) =>
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.DecodeError({ request, response, cause })
          })
      })
    )
  )
}

const compressions = ["gzip", "deflate"] as const

/** The first value of a header. `fetch` joins repeated headers, which some proxies send. */
export const firstValue = (joined: string): string => joined.split(", ", 1).join("")

/** Matches the end of the name, because services and gateways add a prefix. */
const requestIdOf = (headers: Headers.Headers) =>
  Object.entries(headers)
    .filter(([name]) => name.endsWith("request-id"))
    .map(([, value]) => firstValue(value))
    .find((value) => /^[\u0021-\u007e]{1,200}$/u.test(value))

/** The value of `Retry-After` in seconds. */
const retryAfterOf = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Headers.parseRetryAfter(header).pipe(
    // A date contains a comma too.
    Result.orElse(() => Headers.parseRetryAfter(firstValue(header))),
    Result.map((retryAfter) => Duration.toSeconds(Headers.retryAfterDelay(retryAfter, now))),
    Result.getOrUndefined
  )
}

/** The request that follows the redirect, or why it is not followed. */
const followRedirect = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  location: string | undefined,
  call: Pick<Call, "isRead" | "method">,
  hops: number
): Result.Result<HttpClientRequest.HttpClientRequest, string> => {
  if (location === undefined || !URL.canParse(location, request.url)) {
    return Result.fail("it is a redirect without a target; check the base URL")
  }
  const target = new URL(location, request.url)
  if (target.origin !== new URL(request.url).origin) {
    return Result.fail("it is a redirect to another origin, which is not followed; check the base URL")
  }
  if (hops >= maxRedirects) return Result.fail("it redirects without end; check the base URL")
  // Only 307 and 308 guarantee that method and body stay the same: another request could be lost or sent twice.
  if (status !== 307 && status !== 308 && (!call.isRead || (status === 303 && call.method !== "GET"))) {
    return Result.fail("it is a redirect that would drop the request's body; check the base URL")
  }
  // `fetch` refuses a user name in a URL, with a message that contains it.
  Object.assign(target, { hash: "", username: "", password: "" })
  return Result.succeed(HttpClientRequest.setUrl(request, target.href))
}

/** An error with the reason, but without the request and its headers, which the original error contains. */
const plainCause = (error: unknown): Error => {
  const reasons: Array<string> = []
  let at: unknown = error
  while (at instanceof Error && reasons.length < 4) {
    // Messages of the operating system, such as "connect ECONNREFUSED 127.0.0.1:443", already contain their code.
    const code = "code" in at && typeof at.code === "string" && !at.message.includes(at.code) ? ` (${at.code})` : ""
    // The outermost error only repeats the method and the URL.
    if (at !== error || at.cause === undefined) reasons.push(`${at.message.trim()}${code}`)
    at = at.cause
  }
  // Node gives no reason for a 407.
  return new Error(reasons.filter((reason) => reason !== "").join(": "))
}

/** Sends calls: authentication, timeouts, retries, rate limits, and the mapping of failures to errors. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Semaphore from "effect/Semaphore"
import { type ApiError, TimedOut } from "./ApiError.ts"
import { type AttemptFailure, errorOf, isTooLarge, isUnauthorized, retrying } from "./AttemptFailure.ts"
import { makeTokens, type SendOnce } from "./Authentication.ts"
import { type ApiResponse, type Call, type CallResponse, errorContext } from "./Call.ts"
import { CallOptions, limitsOf, type Quota, type Settings, settingsOf, type UncheckedOptions } from "./ClientOptions.ts"
import { monotonicMillis } from "./MonotonicTime.ts"
import { firstValue, makeRoundTrip } from "./RoundTrip.ts"
import { makeScrubber } from "./Scrubber.ts"
import type { Token } from "./Tokens.ts"

/** Sends the calls of one client. */
export interface Transport {
  /** Sends a call, retries it if that is safe, and returns the response of a 2xx. */
  readonly send: (call: Call) => Effect.Effect<CallResponse, ApiError>
  readonly quota: Effect.Effect<Quota>
  /** The service's name of the event link field. */
  readonly linkField: string
  /** Whether listings that cost quota fetch a page ahead. */
  readonly readAhead: boolean
  readonly onUnreadable: UncheckedOptions["onUnreadable"]
}

/** Over the `HttpClient` in the context. */
export const makeTransport = (options: UncheckedOptions) =>
  Effect.flatMap(Effect.fromResult(settingsOf(options)), (settings) =>
    Effect.map(HttpClient.HttpClient, (http) => transportOver(http, settings))
  )

const transportOver = (http: HttpClient.HttpClient, settings: Settings): Transport => {
  let quota: Quota = { searchesRemaining: undefined, batchReached: undefined }
  const rateLimiters = {
    search: makeRateLimiter(settings.rateLimits.search),
    basic: makeRateLimiter(settings.rateLimits.basic)
  }
  const roundTrip = makeRoundTrip(http)

  const sendOnce: SendOnce = Effect.fnUntraced(function* (request, call, timeout, attempt) {
    const startedAt = yield* monotonicMillis
    const { headers, response } = yield* roundTrip(request, call, timeout)
    const { requestId, status } = response
    quota = quotaFrom(headers, quota)
    const durationMs = Math.round((yield* monotonicMillis) - startedAt)
    const { method, operation, path } = call
    const { searchesRemaining } = quota
    const info = { operation, method, path, status, durationMs, attempt, requestId, searchesRemaining }
    settings.onResponse(info)
    if (status >= 200 && status < 300) return response
    return yield* Effect.fail<AttemptFailure>({ _tag: "Refused", response })
  })

  const tokens = makeTokens(settings, sendOnce)

  const send = Effect.fnUntraced(function* (call: Call) {
    const limits = yield* Effect.fromResult(limitsOf(yield* CallOptions, settings.limits, call.operation))
    const expiresAt = (yield* monotonicMillis) + limits.deadline
    const secrets = new Set(call.secrets)
    if (settings.authentication._tag === "Key") secrets.add(settings.authentication.apiKey)
    let body = call.body
    let attempts = 0
    let refused: Token | undefined

    const attempt: Effect.Effect<ApiResponse, AttemptFailure> = Effect.suspend(() =>
      refused === undefined || tokens.newerThan === null ? tokens.current : tokens.newerThan(refused)
    ).pipe(
      Effect.tap((token) => {
        secrets.add(token.value)
        return rateLimiters[call.tier]
      }),
      Effect.flatMap((token) => {
        attempts++
        return sendOnce(requestOf(settings, call, body, token.value), call, limits.timeout, attempts).pipe(
          Effect.catch((failure) => {
            if (isUnauthorized(failure) && tokens.newerThan !== null && refused === undefined) {
              refused = token
              return attempt
            }
            const smaller = isTooLarge(failure) ? call.smaller?.() : undefined
            if (smaller === undefined) return Effect.fail(failure)
            body = smaller
            return attempt
          })
        )
      })
    )

    const { requestId, status, ...response } = yield* (
      call.isRead ? retrying(attempt, { retries: limits.retries, retryDelay: settings.retryDelay, expiresAt }) : attempt
    ).pipe(
      Effect.mapError((failure) => errorOf(failure, call, attempts, makeScrubber(secrets))),
      Effect.timeoutOrElse({
        duration: limits.deadline,
        orElse: () => Effect.fail(new TimedOut({ ...errorContext(call), attempts, deadline: limits.deadline }))
      })
    )
    return { attempts, body: response.body, requestId, status }
  })

  const { linkField, onUnreadable, readAhead } = settings
  return { send, quota: Effect.sync(() => quota), linkField, onUnreadable, readAhead }
}

const requestOf = ({ baseUrl, pathPrefix }: Settings, call: Call, body: unknown, token: string) => {
  const base = call.isOutsidePrefix === true ? baseUrl : `${baseUrl}/${pathPrefix}`
  const request = HttpClientRequest.make(call.method)(`${base}${call.path}${call.query}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json" }
  })
  return body === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
}

/** Matches the end of the header's name, because services put a word of their own in front. */
const quotaFrom = (headers: Headers.Headers, before: Quota): Quota => {
  let { batchReached, searchesRemaining } = before
  for (const [name, joined] of Object.entries(headers)) {
    const value = firstValue(joined)
    if (name.endsWith("global-searches-remaining") && /^\s*\d+\s*$/u.test(value)) searchesRemaining = Number(value)
    if (name.endsWith("global-searches-batch-reached")) batchReached = /^\s*(?:true|yes|[1-9]\d*)\s*$/iu.test(value)
  }
  return { batchReached, searchesRemaining }
}

/**
 * The client's own rate limit: lets callers through in their order, at most `rate` per second and evenly spaced. A caller
 * that is interrupted while it waits leaves the queue and takes no slot; the limiters of `effect/persistence` take one before
 * the wait and keep it.
 */
const makeRateLimiter = (rate: number | undefined): Effect.Effect<void> => {
  if (rate === undefined) return Effect.void
  const gap = 1000 / rate
  const queue = Semaphore.makeUnsafe(1)
  let next = 0
  return queue.withPermit(
    Effect.gen(function* () {
      const now = yield* monotonicMillis
      if (next > now) yield* Effect.sleep(next - now)
      next = Math.max(now, next) + gap
    })
  )
}

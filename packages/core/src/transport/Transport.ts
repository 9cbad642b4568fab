/** Sends calls: authentication, timeouts, retries, rate limits, and the conversion of failures to errors. */
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Tier } from "../api/Endpoints.ts"
import { statuses } from "../domain/ErrorBody.ts"
import { type ApiError, TimedOut } from "./ApiError.ts"
import {
  admissionOf,
  type AttemptFailure,
  errorOf,
  isRateLimited,
  isTooLarge,
  isUnauthorized,
  namesQuota,
  retrying
} from "./AttemptFailure.ts"
import { exchangeOperation, makeTokens, type SendOnce } from "./Authentication.ts"
import { type ApiResponse, type Call, type CallResponse, errorContext } from "./Call.ts"
import { CallOptions, limitsOf, type Quota, type Settings, settingsOf, type UncheckedOptions } from "./ClientOptions.ts"
import { monotonicMillis } from "./MonotonicTime.ts"
import { OnResponseHead, responseHead } from "./Received.ts"
import { makeRateLimiter } from "./RateLimiter.ts"
import { firstValue, makeRoundTrip } from "./RoundTrip.ts"
import { makeScrubber, scrubText } from "./Scrubber.ts"
import type { Token } from "./Tokens.ts"

export interface Transport {
  /** Sends a call, retries it if that is safe, and returns the response if it is a 2xx. */
  readonly send: (call: Call) => Effect.Effect<CallResponse, ApiError>
  readonly quota: Effect.Effect<Quota>
  /** The tiers whose calls are currently spaced, because the service has answered 429. */
  readonly limitedTiers: Effect.Effect<ReadonlySet<Tier>>
  /** The service's name for the field with the link to an event. */
  readonly linkField: string
  /** Whether listings that cost quota fetch a page ahead. */
  readonly readAhead: boolean
  readonly onUnreadable: UncheckedOptions["onUnreadable"]
}

/** Uses the `HttpClient` in the context. */
export const makeTransport = (options: UncheckedOptions) =>
  Effect.flatMap(Effect.fromResult(settingsOf(options)), (settings) =>
    Effect.map(HttpClient.HttpClient, (http) => transportOver(http, settings))
  )

const transportOver = (http: HttpClient.HttpClient, settings: Settings): Transport => {
  let quota: Quota = { searchesRemaining: undefined, batchReached: undefined }
  const rateLimiters = {
    search: makeRateLimiter({ ...rateLimitsOf(settings), rate: settings.rateLimits.search, defaultInterval: 1000 }),
    basic: makeRateLimiter({ ...rateLimitsOf(settings), rate: settings.rateLimits.basic, defaultInterval: 250 })
  }
  const roundTrip = makeRoundTrip(http, settings.maxBytes)

  const exchange: SendOnce = Effect.fnUntraced(function* (request, call, { countAttempt, secrets, timeout }) {
    const attempt = countAttempt()
    const startedAt = yield* monotonicMillis
    const { headers, response } = yield* roundTrip(request, call, timeout)
    const { requestId, status } = response
    quota = quotaFrom(headers, quota)
    const durationMs = Math.round((yield* monotonicMillis) - startedAt)
    const { method, operation, path, tier } = call
    const { searchesRemaining } = quota
    settings.onResponse?.({
      operation,
      method,
      path,
      status,
      durationMs,
      attempt,
      requestId: scrubText(requestId, makeScrubber(secrets)),
      searchesRemaining
    })
    const onHead = yield* OnResponseHead
    if (onHead !== undefined && call.operation !== exchangeOperation) {
      onHead(responseHead(status, headers, makeScrubber(secrets)))
    }
    if (status >= 200 && status < 300) return response
    const isQuotaSpent =
      status === statuses.RateLimited && (namesQuota(response) || (tier === "search" && searchesRemaining === 0))
    return yield* Effect.fail<AttemptFailure>({ _tag: "Refused", response, isQuotaSpent })
  })

  const sendOnce: SendOnce = (request, call, options) =>
    rateLimiters[call.tier].limit(exchange(request, call, options), options.expiresAt, admissionOf)

  const tokens = makeTokens(settings, sendOnce)

  const send = Effect.fnUntraced(function* (call: Call) {
    const limits = yield* Effect.fromResult(limitsOf(yield* CallOptions, settings.limits, call.operation))
    const expiresAt = (yield* monotonicMillis) + limits.deadline
    const secrets = new Set(call.secrets)
    if (settings.authentication._tag === "Key") secrets.add(settings.authentication.apiKey)
    let body = call.body
    let attempts = 0
    let refusedToken: Token | undefined
    let isQueued = false
    let refusal: AttemptFailure | undefined

    const attemptOptions = {
      secrets,
      timeout: limits.timeout,
      expiresAt,
      countAttempt: () => {
        isQueued = false
        return ++attempts
      }
    }
    const attempt: Effect.Effect<ApiResponse, AttemptFailure> = Effect.suspend(() =>
      refusedToken === undefined || tokens.newerThan === null ? tokens.current : tokens.newerThan(refusedToken)
    ).pipe(
      Effect.flatMap((token) => {
        secrets.add(token.value)
        isQueued = true
        return sendOnce(requestOf(settings, call, body, token.value), call, attemptOptions).pipe(
          Effect.catch((failure) => {
            if (isUnauthorized(failure) && tokens.newerThan !== null && refusedToken === undefined) {
              refusedToken = token
              return attempt
            }
            const smaller = isTooLarge(failure) ? call.smaller?.() : undefined
            if (smaller === undefined) {
              if (isRateLimited(failure)) refusal = failure
              return Effect.fail(failure)
            }
            body = smaller
            return attempt
          })
        )
      })
    )

    const toError = (failure: AttemptFailure) => errorOf(failure, call, attempts, makeScrubber(secrets))
    const { requestId, status, ...response } = yield* (
      call.isRead ? retrying(attempt, { retries: limits.retries, retryDelay: settings.retryDelay, expiresAt }) : attempt
    ).pipe(
      Effect.mapError(toError),
      Effect.timeoutOrElse({
        duration: limits.deadline,
        orElse: () =>
          Effect.flatMap(rateLimiters[call.tier].throttled, (throttled) =>
            Effect.fail(
              isQueued && throttled !== undefined
                ? toError(refusal ?? throttled)
                : new TimedOut({ ...errorContext(call), attempts, deadline: limits.deadline })
            )
          )
      })
    )
    return { attempts, body: response.body, requestId, secrets, status }
  })

  const { linkField, onUnreadable, readAhead } = settings
  const limitedTiers = Effect.map(
    Effect.all([rateLimiters.search.throttled, rateLimiters.basic.throttled]),
    ([search, basic]) =>
      new Set<Tier>([...(search ? (["search"] as const) : []), ...(basic ? (["basic"] as const) : [])])
  )
  return { send, quota: Effect.sync(() => quota), limitedTiers, linkField, onUnreadable, readAhead }
}

/** The wait after a 429 without `Retry-After`: ten seconds, or less if the retry delay is shorter than its default. */
const rateLimitsOf = ({ retryDelay }: Settings) => ({ firstPause: Math.min(10_000, retryDelay * 40) })

const requestOf = ({ baseUrl, pathPrefix }: Settings, call: Call, body: unknown, token: string) => {
  const base = call.isOutsidePrefix === true ? baseUrl : `${baseUrl}/${pathPrefix}`
  const request = HttpClientRequest.make(call.method)(`${base}${call.path}${call.query}`, {
    headers: { authorization: `Bearer ${token}`, accept: call.isFile === true ? "*/*" : "application/json" }
  })
  return body === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
}

/** Matches the end of a header's name, because services add a prefix. */
const quotaFrom = (headers: Headers.Headers, before: Quota): Quota => {
  let { batchReached, searchesRemaining } = before
  for (const [name, joined] of Object.entries(headers)) {
    const value = firstValue(joined)
    if (name.endsWith("global-searches-remaining") && /^\s*\d+\s*$/u.test(value)) searchesRemaining = Number(value)
    if (name.endsWith("global-searches-batch-reached")) batchReached = /^\s*(?:true|yes|[1-9]\d*)\s*$/iu.test(value)
  }
  return { batchReached, searchesRemaining }
}

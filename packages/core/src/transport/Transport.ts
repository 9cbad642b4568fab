/** How a request travels: authentication, time-outs, retries, rate limits, and which error each failure is. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type ApiError, TimedOut } from "./ApiError.ts"
import { makeTokens } from "./Authentication.ts"
import { type ApiResponse, type Call, errorContext } from "./Call.ts"
import { type ClientOptions, type Settings, settingsOf } from "./ClientOptions.ts"
import { makeRoundTrip } from "./RoundTrip.ts"
import { makeScrubber } from "./Scrubber.ts"
import { failureOf, isTooLarge, isTransient, pauseAfter, retryAfterOf, type AttemptFailure } from "./AttemptFailure.ts"
import type { Token } from "./Tokens.ts"

/** What the service last said of the global searches it lets this account make. */
export interface Quota {
  /** Undefined until the service has said. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another search; undefined until the service has said. */
  readonly batchReached: boolean | undefined
}

/** Sends the calls of one client. */
export interface Transport {
  /** Sends it, tries again where that is safe, and gives the body of a 2xx. */
  readonly send: (call: Call) => Effect.Effect<ApiResponse, ApiError>
  readonly quota: Effect.Effect<Quota>
  /** The service's own name of an event's link. */
  readonly linkField: string
}

/** Over the `HttpClient` at hand. */
export const makeTransport = (options: ClientOptions) => Effect.flatMap(Effect.fromResult(settingsOf(options)), make)

function make(settings: Settings) {
  return Effect.map(HttpClient.HttpClient, (http) => {
    let quota: Quota = { searchesRemaining: undefined, batchReached: undefined }
    const pace = { search: pacer(settings.rateLimits.search), basic: pacer(settings.rateLimits.basic) }
    const roundTrip = makeRoundTrip(http, settings)
    const tokens = makeTokens(settings, roundTrip)

    /** One try: a token, the request, and its answer with the whole body. */
    const attempt = Effect.fnUntraced(function* (call: Call, body: unknown, token: Token) {
      const { answer, headers } = yield* roundTrip(requestOf(settings, call, body, token.value), call)
      quota = heardQuota(headers, quota)
      if (answer.status >= 200 && answer.status < 300) return answer
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.fail<AttemptFailure>({
        _tag: "Refused",
        answer,
        retryAfter: retryAfterOf(headers, now),
        by: "call"
      })
    })

    const tries = Effect.fnUntraced(function* (call: Call) {
      const started = yield* Clock.currentTimeMillis
      let body = call.body
      let attempts = 0
      let failures = 0
      let refused: Token | undefined
      const sent = new Set(call.secrets)
      if (settings.authentication._tag === "Key") sent.add(settings.authentication.apiKey)

      while (true) {
        if (attempts > 0) yield* pace[call.tier]
        attempts++
        const taken = yield* Effect.result(
          refused === undefined || tokens.newerThan === null ? tokens.current : tokens.newerThan(refused)
        )
        if (Result.isSuccess(taken)) sent.add(taken.success.value)
        const tried = Result.isFailure(taken)
          ? Result.fail(taken.failure)
          : yield* Effect.result(attempt(call, body, taken.success))
        if (Result.isSuccess(tried)) return tried.success

        const failure = tried.failure
        const fail = () => failureOf(failure, call, attempts, makeScrubber(sent))
        if (failure._tag === "Final") return yield* fail()

        if (
          failure._tag === "Refused" &&
          failure.answer.status === 401 &&
          failure.by === "call" &&
          tokens.newerThan !== null &&
          refused === undefined &&
          Result.isSuccess(taken)
        ) {
          refused = taken.success
          continue
        }

        if (call.smaller !== undefined && isTooLarge(failure)) {
          const smaller = yield* call.smaller
          if (Option.isSome(smaller)) {
            body = smaller.value
            continue
          }
        }

        if (!call.isRead || !isTransient(failure) || failures >= settings.retries) return yield* fail()
        const pause = yield* pauseAfter(failure, failures, settings.retryDelay)
        const now = yield* Clock.currentTimeMillis
        // Where the service names a time beyond the deadline, the caller is better told so at once.
        const isBeyond = pause >= settings.deadline - (now - started)
        if (isBeyond && failure._tag === "Refused" && failure.retryAfter !== undefined) return yield* fail()
        failures++
        yield* Effect.sleep(pause)
      }
    })

    const send = Effect.fnUntraced(function* (call: Call) {
      yield* pace[call.tier]
      return yield* Effect.timeoutOrElse(tries(call), {
        duration: settings.deadline,
        orElse: () => Effect.fail(new TimedOut({ ...errorContext(call), deadline: settings.deadline }))
      })
    })

    return { send, quota: Effect.sync(() => quota), linkField: settings.linkField } satisfies Transport
  })
}

const requestOf = ({ baseUrl, pathPrefix }: Settings, call: Call, body: unknown, token: string) => {
  const request = HttpClientRequest.make(call.method)(`${baseUrl}/${pathPrefix}${call.path}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json" }
  })
  return body === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
}

/** Lets callers through one after the other, so that no more than `rate` pass in a second. */
const pacer = (rate: number | undefined): Effect.Effect<void> => {
  if (rate === undefined) return Effect.void
  const gap = 1000 / rate
  let free = 0
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const at = Math.max(now, free)
    free = at + gap
    return at > now ? Effect.sleep(at - now) : Effect.void
  })
}

/** The header's name has the service's own name in it, so it is known by its end. */
const heardQuota = (headers: Headers.Headers, before: Quota): Quota => {
  let { batchReached, searchesRemaining } = before
  for (const [name, value] of Object.entries(headers)) {
    if (name.endsWith("global-searches-remaining") && /^\s*\d+\s*$/u.test(value)) searchesRemaining = Number(value)
    if (name.endsWith("global-searches-batch-reached")) batchReached = /^\s*(?:true|yes|[1-9]\d*)\s*$/iu.test(value)
  }
  return { batchReached, searchesRemaining }
}

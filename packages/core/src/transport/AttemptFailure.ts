/** Why an attempt failed, whether and when to retry, and the resulting error (docs/api.md#errors). */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { readErrorBody, statuses, type ValidationFault } from "../domain/ErrorBody.ts"
import {
  type ApiError,
  type FailureContext,
  type Fault,
  Forbidden,
  NotFound,
  RateLimited,
  ServiceFailure,
  Unauthorized,
  Unavailable,
  UnexpectedResponse,
  V2Failure,
  ValidationFailed
} from "./ApiError.ts"
import { type ApiResponse, type Call, errorContext } from "./Call.ts"
import { monotonicMillis } from "./MonotonicTime.ts"
import { type Admission, maxPause, type Throttled } from "./RateLimiter.ts"
import { type Scrubber, scrubText } from "./Scrubber.ts"

export type AttemptFailure =
  | { readonly _tag: "NoResponse"; readonly cause: Error; readonly isTimeout: boolean }
  | {
      readonly _tag: "Refused"
      readonly response: ApiResponse
      /** Whether this is a 429 because the search quota is exhausted, which renews once a month. */
      readonly isQuotaSpent: boolean
    }
  /** The request was not sent, because the rate limit does not admit it in time. */
  | Throttled
  /** There is no token, or it contains characters that are not allowed in a header. */
  | { readonly _tag: "NoToken"; readonly reason: string; readonly response?: ApiResponse }
  | { readonly _tag: "ExchangeFailed"; readonly failure: AttemptFailure; readonly attempts: number }

/** Whether the service, or its gateway, could not serve a page in time, so that a smaller page may succeed. */
export const isTooLarge = (failure: AttemptFailure) =>
  failure._tag === "NoResponse" ? failure.isTimeout : failure._tag === "Refused" && failure.response.status === 504

export const isUnauthorized = (failure: AttemptFailure) => failure._tag === "Refused" && failure.response.status === 401

export interface RetryPolicy {
  /** Maximum number of attempts after the first. */
  readonly retries: number
  /** First pause in milliseconds; each further pause is twice as long. */
  readonly retryDelay: number
  /** When the call expires, in {@link monotonicMillis}. */
  readonly expiresAt: number
}

/** Repeats an attempt while its failure is temporary. A `Schedule` would add 2 kB to every bundle. */
export const retrying = <A>(
  attempt: Effect.Effect<A, AttemptFailure>,
  policy: RetryPolicy,
  failures = 0,
  refusal?: AttemptFailure
): Effect.Effect<A, AttemptFailure> =>
  attempt.pipe(
    Effect.catch((failure) =>
      Effect.gen(function* () {
        if (failure._tag === "Throttled") return yield* Effect.fail(refusal ?? failure)
        if (failures === policy.retries || !isTransient(failure)) return yield* Effect.fail(failure)
        // The rate limiter decides when to send the next attempt.
        if (isRateLimited(failure)) return yield* retrying(attempt, policy, failures + 1, failure)
        const requested = readRetryAfter(failure) ?? 0
        if ((yield* monotonicMillis) + requested >= policy.expiresAt) return yield* Effect.fail(failure)
        // Jitter of 20 percent, so that clients that failed together do not retry together.
        const pause = policy.retryDelay * 2 ** failures * (0.8 + 0.4 * (yield* Random.next))
        yield* Effect.sleep(Math.min(maxPause, Math.max(requested, pause)))
        return yield* retrying(attempt, policy, failures + 1)
      })
    )
  )

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const isTransient = (failure: AttemptFailure) =>
  failure._tag === "NoResponse" ||
  (failure._tag === "Refused" && transientStatuses.has(failure.response.status) && !failure.isQuotaSpent)

/** Whether a 429 mentions the search quota, in its code or its message. */
export const namesQuota = ({ body }: ApiResponse): boolean => {
  const { code, message } = readErrorBody(Result.getOrUndefined(body))
  return /quota/iu.test(`${code ?? ""} ${message ?? ""}`)
}

export const isRateLimited = (failure: AttemptFailure) =>
  failure._tag === "Refused" && failure.response.status === statuses.RateLimited && !failure.isQuotaSpent

/** Derives from the end of an attempt whether the rate limit of its tier admitted the request. */
export const admissionOf = (exit: Exit.Exit<unknown, AttemptFailure>): Admission => {
  if (Exit.isSuccess(exit)) return { _tag: "Admitted" }
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (failure?._tag !== "Refused" || failure.response.status >= 500) return { _tag: "Unknown" }
  return isRateLimited(failure) ? { _tag: "Limited", pause: readRetryAfter(failure) } : { _tag: "Admitted" }
}

/** The value of `Retry-After` in milliseconds; undefined if the service did not send it. */
const readRetryAfter = (failure: AttemptFailure): number | undefined =>
  failure._tag === "Refused" && failure.response.retryAfter !== undefined
    ? failure.response.retryAfter * 1000
    : undefined

/** The error of a failed call. The status decides first, then the format of the body. */
export const errorOf = (failure: AttemptFailure, call: Call, attempts: number, scrubber: Scrubber): ApiError => {
  const context = { ...errorContext(call), attempts }
  const contextOf = (response: ApiResponse | undefined) => ({
    ...context,
    status: response?.status,
    requestId: scrubText(response?.requestId, scrubber)
  })
  switch (failure._tag) {
    case "NoToken":
      return new Unauthorized({ ...contextOf(failure.response), reason: failure.reason })
    case "NoResponse":
      return new Unavailable({ ...context, cause: causeOf(failure.cause.message, scrubber) })
    case "Throttled": {
      const { retryAfter } = failure
      return new RateLimited({
        ...context,
        retryAfter,
        code: undefined,
        isQuotaSpent: false,
        message: `${call.operation}: the service limits the rate of calls, and there was no turn within the deadline: ${waitOf(retryAfter)}`
      })
    }
    case "ExchangeFailed":
      return errorOf(failure.failure, call, failure.attempts, scrubber)
    case "Refused":
      return refusalOf(
        failure,
        { ...contextOf(failure.response), status: failure.response.status },
        call.permission,
        scrubber
      )
  }
}

const refusalOf = (
  { isQuotaSpent, response }: Extract<AttemptFailure, { readonly _tag: "Refused" }>,
  refused: FailureContext & { readonly status: number },
  permission: string | undefined,
  scrubber: Scrubber
): ApiError => {
  const { retryAfter, status } = response
  const report = readErrorBody(Result.getOrUndefined(response.body))
  const lacksOperation = status === 405 || status === 501 || (status === statuses.NotFound && report.isUnknownPath)
  const context = { ...refused, lacksOperation }
  const code = scrubText(report.code, scrubber)
  const wait = retryAfter === undefined ? undefined : waitOf(retryAfter)
  const message = scrubText(report.message, scrubber) ?? `${context.operation}: ${defaultMessage(status, wait)}`

  if (status >= 500) {
    const reason = [report.message ?? [], wait ?? []].flat().join(": ")
    return new Unavailable({ ...context, cause: reason === "" ? undefined : causeOf(reason, scrubber) })
  }
  switch (status) {
    case statuses.Unauthorized:
      return new Unauthorized({ ...context, reason: "the token is missing, expired or revoked" })
    case statuses.Forbidden:
      return new Forbidden({ ...context, permission })
    case statuses.NotFound:
      return new NotFound(context)
    case statuses.ValidationFailed:
      return new ValidationFailed({ ...context, detail: report.detail.map((fault) => scrubFault(fault, scrubber)) })
    case statuses.RateLimited:
      return new RateLimited({
        ...context,
        retryAfter,
        code,
        isQuotaSpent,
        message: wait === undefined ? message : `${message}: ${wait}`
      })
    default:
      if (status < 400) {
        const reason = response.refusedRedirect ?? "that is neither a success nor an error"
        return new UnexpectedResponse({ ...context, reason })
      }
      return report.version === "v2" && code !== undefined
        ? new V2Failure({ ...context, message, code })
        : new ServiceFailure({ ...context, message, code })
  }
}

const defaultMessage = (status: number, wait: string | undefined) => {
  if (status !== statuses.RateLimited) return `the service answered ${status} and did not say why`
  return wait === undefined ? "too many calls: try again later" : "too many calls"
}

const waitOf = (seconds: number) => `try again in ${Math.ceil(seconds)} s`

const causeOf = (message: string, scrubber: Scrubber): Error => {
  const cause = new Error(scrubber.text(message))
  cause.stack = String(cause)
  return cause
}

const scrubFault = ({ ctx, input, loc, msg, type }: ValidationFault, scrubber: Scrubber): Fault => ({
  loc: loc.map((part) => (typeof part === "string" ? scrubber.text(part) : part)),
  msg: scrubber.text(msg),
  type: scrubber.text(type),
  ...(input === undefined ? undefined : { input: scrubber.value(input) }),
  ...(ctx === undefined
    ? undefined
    : {
        ctx: Object.fromEntries(Object.entries(ctx).map(([key, value]) => [scrubber.text(key), scrubber.value(value)]))
      })
})

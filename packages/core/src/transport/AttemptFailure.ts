/** Why an attempt failed, whether and when to retry, and the error if there is no retry (docs/api.md#errors). */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { readErrorBody, statuses, type ValidationFault } from "../domain/ErrorBody.ts"
import {
  type ApiError,
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
import type { Scrubber } from "./Scrubber.ts"

export type AttemptFailure =
  | { readonly _tag: "NoAnswer"; readonly cause: Error; readonly isStall: boolean }
  | {
      readonly _tag: "Refused"
      readonly answer: ApiResponse
      readonly retryAfter: number | undefined
      readonly by: "call" | "exchange"
    }
  | { readonly _tag: "Final"; readonly error: ApiError }

/** Too much was asked for at once: the service, or its gateway, gave up on the page. */
export const isTooLarge = (failure: AttemptFailure) =>
  failure._tag === "NoAnswer" ? failure.isStall : failure._tag === "Refused" && failure.answer.status === 504

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

export const isTransient = (failure: AttemptFailure) =>
  failure._tag === "NoAnswer" || (failure._tag === "Refused" && transientStatuses.has(failure.answer.status))

/** A 429 that names no time means ten seconds, at the usual first pause of 250 ms. */
const pausesAfter429 = 40

/** Milliseconds until the next try: twice as long each time, a fifth more or less, and never shorter than the service asks. */
export const pauseAfter = (failure: AttemptFailure, failures: number, retryDelay: number) =>
  Effect.map(Random.next, (random) => {
    const pause = retryDelay * 2 ** failures * (0.8 + 0.4 * random)
    if (failure._tag !== "Refused") return pause
    const floor = failure.retryAfter ?? (failure.answer.status === 429 ? (retryDelay * pausesAfter429) / 1000 : 0)
    return Math.max(pause, floor * 1000)
  })

/** Seconds. */
export const retryAfterOf = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Headers.parseRetryAfter(header).pipe(
    Result.map((retryAfter) => Duration.toSeconds(Headers.retryAfterDelay(retryAfter, now))),
    Result.getOrUndefined
  )
}

/** The status decides first, then the shape of the body. */
export const failureOf = (failure: AttemptFailure, call: Call, attempts: number, scrubber: Scrubber): ApiError => {
  const where = errorContext(call)
  if (failure._tag === "Final") {
    return failure.error._tag === "Unauthorized"
      ? new Unauthorized({ ...where, reason: failure.error.reason })
      : failure.error
  }
  if (failure._tag === "NoAnswer") {
    return new Unavailable({ ...where, attempts, status: undefined, cause: causeOf(failure.cause.message, scrubber) })
  }
  const { retryAfter } = failure
  const { status } = failure.answer
  const report = readErrorBody(Result.getOrUndefined(failure.answer.body))
  const code = report.code === undefined ? undefined : scrubber.text(report.code)
  const said = report.message
  const message = said === undefined ? unsaid(call, status, retryAfter) : scrubber.text(said)

  if (status >= 500) {
    const cause = said === undefined ? undefined : causeOf(said, scrubber)
    return new Unavailable({ ...where, attempts, status, cause })
  }
  switch (status) {
    case statuses.Unauthorized:
      return new Unauthorized({ ...where, reason: "the token is missing, expired or revoked" })
    case statuses.Forbidden:
      return new Forbidden({ ...where, permission: call.permission })
    case statuses.NotFound:
      return new NotFound(where)
    case statuses.ValidationFailed:
      return new ValidationFailed({ ...where, detail: report.detail.map((fault) => scrubbedFault(fault, scrubber)) })
    case statuses.RateLimited:
      return new RateLimited({ ...where, retryAfter, code, message })
    default:
      if (status < 400) {
        return new UnexpectedResponse({ ...where, status, reason: "that is neither a success nor an error" })
      }
      return report.version === "v2" && code !== undefined
        ? new V2Failure({ ...where, status, message, code })
        : new ServiceFailure({ ...where, status, message, code })
  }
}

/** What stands for the service's own words where it has none. */
const unsaid = ({ operation }: Call, status: number, retryAfter: number | undefined) => {
  if (status !== 429) return `${operation}: the service answered ${status} and did not say why`
  const wait = retryAfter === undefined ? "try again later" : `try again in ${Math.ceil(retryAfter)} s`
  return `${operation}: too many calls: ${wait}`
}

/** Without a stack: it would lead through the client, and say nothing of the failure. */
const causeOf = (words: string, scrubber: Scrubber): Error => {
  const cause = new Error(scrubber.text(words))
  cause.stack = String(cause)
  return cause
}

const scrubbedFault = ({ ctx, input, loc, msg, type }: ValidationFault, scrubber: Scrubber) => ({
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

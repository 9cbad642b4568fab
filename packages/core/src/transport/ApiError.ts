/**
 * What a caller of any operation can meet, told apart by `_tag` (or by `name`,
 * which is the same word).
 *
 * They are plain tagged errors and not schemas, because none of them crosses
 * the wire: each is what the client makes of an answer, or of none. No message
 * and no field holds a secret of the request.
 */
import * as Data from "effect/Data"
import { describeFaults, type ValidationFault } from "../domain/ErrorBody.ts"

/** What every failure knows. */
export interface Failed {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  /**
   * Of a listing alone: the cursor of the page that failed, null for the first.
   * Everything before it was delivered; a listing given this `from` goes on there.
   */
  readonly from?: string | null | undefined
}

/** 422: the service refused the request; `detail` names every fault. */
export class ValidationFailed extends Data.TaggedError("ValidationFailed")<
  Failed & { readonly detail: ReadonlyArray<ValidationFault> }
> {
  override get message() {
    return `${this.operation}: the service refused the request: ${describeFaults(this.detail)}`
  }
}

/** Another 4xx, with the error body of the v2 operations: see docs/api.md#errors. */
export class V2Failure extends Data.TaggedError("V2Failure")<
  Failed & { readonly status: number; readonly message: string; readonly code: string }
> {}

/** Another 4xx, in the error shape of v4 or in none that is known. */
export class ServiceFailure extends Data.TaggedError("ServiceFailure")<
  Failed & {
    readonly status: number
    readonly message: string
    /** Absent where the body had no known shape. */
    readonly code: string | undefined
  }
> {}

/** 401: the token is missing, expired or revoked, and could not be renewed. Trying again cannot help. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Failed & { readonly reason: string }> {
  override get message() {
    return `${this.operation}: ${this.reason}`
  }
}

/** 403: the API key behind the token lacks a permission. */
export class Forbidden extends Data.TaggedError("Forbidden")<
  Failed & {
    /** The permission that the operation needs (docs/api.md#permissions); undefined if unknown. */
    readonly permission: string | undefined
  }
> {
  override get message() {
    return this.permission === undefined
      ? `${this.operation}: the service does not allow this API key to do it`
      : `${this.operation}: the API key needs the permission "${this.permission}"`
  }
}

/** 404: no such resource or path, or one that this token may not see. */
export class NotFound extends Data.TaggedError("NotFound")<Failed> {
  override get message() {
    return `${this.operation}: the service knows no such thing; check the id, the base URL and the path prefix`
  }
}

/** 429, when retries are spent. */
export class RateLimited extends Data.TaggedError("RateLimited")<
  Failed & {
    readonly message: string
    /** Seconds to wait, where the service says so. */
    readonly retryAfter: number | undefined
    readonly code: string | undefined
  }
> {}

/**
 * No answer, or a 5xx, when retries are spent. What changes something is sent once, and may have been done where this is
 * met: see before you send it again.
 */
export class Unavailable extends Data.TaggedError("Unavailable")<
  Failed & {
    /** How often the request was tried. */
    readonly attempts: number
    /** Of the last answer; undefined where there was none. */
    readonly status: number | undefined
    /** Why there was no answer, or what the last one said of itself; undefined where it said nothing. */
    readonly cause: Error | undefined
  }
> {
  override get message() {
    const happened = this.status === undefined ? "no answer from the service" : `the service answered ${this.status}`
    const tries = this.attempts === 1 ? "1 try" : `${this.attempts} tries`
    const why = this.cause === undefined ? "" : `: ${this.cause.message}`
    return `${this.operation}: ${happened} after ${tries}${why}`
  }
}

/** The deadline of the call passed. */
export class TimedOut extends Data.TaggedError("TimedOut")<
  Failed & {
    /** Milliseconds. */
    readonly deadline: number
  }
> {
  override get message() {
    return `${this.operation}: not done within its deadline of ${this.deadline} ms: ask for less at once, or raise the deadline`
  }
}

/** A success that cannot be decoded, or a redirect that is not followed. Never retried. */
export class UnexpectedResponse extends Data.TaggedError("UnexpectedResponse")<
  Failed & {
    readonly status: number
    /** What is wrong, and where in the body; it holds no value of the body. */
    readonly reason: string
  }
> {
  override get message() {
    return `${this.operation}: the service answered ${this.status}, but ${this.reason}`
  }
}

/** The request breaks a rule of docs/api.md, or the client is configured wrongly. Nothing was sent. */
export class RequestInvalid extends Data.TaggedError("RequestInvalid")<Failed & { readonly rule: string }> {
  override get message() {
    return `${this.operation}: ${this.rule}`
  }
}

/** A listing gave a cursor that it had given before. The items of that page were delivered. */
export class CursorLoop extends Data.TaggedError("CursorLoop")<Failed & { readonly from: string }> {
  override get message() {
    return `${this.operation}: the service sent a cursor again that was used before, so the listing would never end`
  }
}

const failures = [
  ValidationFailed,
  V2Failure,
  ServiceFailure,
  Unauthorized,
  Forbidden,
  NotFound,
  RateLimited,
  Unavailable,
  TimedOut,
  UnexpectedResponse,
  RequestInvalid,
  CursorLoop
]

// Node then prints them as it prints any error, the message and the stack
// included, and not as the plain object that Effect's errors are to it.
for (const failure of failures) {
  Object.defineProperty(failure.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: undefined })
}

/** Every failure by name: pick one out with `Effect.catchTag`, several with `Effect.catchTags`. */
export type ApiError =
  | ValidationFailed
  | V2Failure
  | ServiceFailure
  | Unauthorized
  | Forbidden
  | NotFound
  | RateLimited
  | Unavailable
  | TimedOut
  | UnexpectedResponse
  | RequestInvalid
  | CursorLoop

/**
 * The errors of a call, distinguished by `_tag`, by `name` (which is equal) or by class; see docs/api.md#errors. No
 * message and no field contains a secret of the request. Errors that a service responds with are in `domain/Failures`.
 */
import { ApiFailure, failure, type Failure, type FailureContext } from "../domain/Failures.ts"

export {
  type FailureContext,
  type Fault,
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Failure,
  ValidationFailed
} from "../domain/Failures.ts"

/** Whether the value is an error of a call. */
export const isApiError = (error: unknown): error is ApiError => error instanceof ApiFailure

interface Refusal extends FailureContext {
  readonly status: number
  readonly message: string
}

/** Any other 4xx, with a v4 or an unknown error body. */
export class ServiceFailure extends failure("ServiceFailure") {
  declare readonly status: number
  /** Undefined if the error body is unknown. */
  readonly code: string | undefined

  constructor({ code, message, ...context }: Refusal & { readonly code: string | undefined }) {
    super(message, context)
    this.code = code
  }
}

/**
 * No response, or a 5xx, after all retries. An operation that changes something is never retried, and may have
 * succeeded despite this error: check before you send it again.
 */
export class Unavailable extends failure("Unavailable") {
  /** Why there was no response, or the message of the last response; undefined if it had none. */
  declare readonly cause: Error | undefined

  constructor({ cause, ...context }: FailureContext & { readonly cause: Error | undefined }) {
    const { attempts, operation, status } = context
    const outcome = status === undefined ? "no answer from the service" : `the service answered ${status}`
    const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`
    super(`${operation}: ${outcome} after ${tries}${cause === undefined ? "" : `: ${cause.message}`}`, context, cause)
  }
}

/** The deadline of the call passed. */
export class TimedOut extends failure("TimedOut") {
  /** The deadline of the call in milliseconds. */
  readonly deadline: number

  constructor({ deadline, ...context }: FailureContext & { readonly deadline: number }) {
    super(
      `${context.operation}: did not finish within its deadline of ${deadline} ms: request less at once, or raise the deadline`,
      context
    )
    this.deadline = deadline
  }
}

/** A 2xx that cannot be decoded, or a redirect that is not followed. Never retried. */
export class UnexpectedResponse extends failure("UnexpectedResponse") {
  declare readonly status: number
  /** The fault and its place in the body. Contains no value of the body. */
  readonly reason: string
  /** The faults one by one; empty if the body is not JSON. */
  readonly faults: ReadonlyArray<string>
  /**
   * Only for a listing that delivered a page without its undecodable items: the cursor of the next page; null after the
   * last page. Pass it as `from` to continue.
   */
  declare readonly next?: string | null

  constructor({
    faults,
    next,
    reason,
    ...context
  }: FailureContext & {
    readonly status: number
    readonly reason: string
    readonly faults?: ReadonlyArray<string>
    readonly next?: string | null
  }) {
    super(`${context.operation}: the service answered ${context.status}, but ${reason}`, context)
    this.reason = reason
    this.faults = faults ?? []
    if (next !== undefined) this.next = next
  }
}

/** The request violates a rule of docs/api.md, or an option of the client is invalid. Nothing was sent. */
export class RequestInvalid extends failure("RequestInvalid") {
  readonly rule: string
  /** Only for a client option: the option's name, with which `rule` begins. */
  declare readonly option?: string | undefined

  constructor({
    option,
    rule,
    ...context
  }: Omit<FailureContext, "attempts"> & { readonly option?: string | undefined; readonly rule: string }) {
    super(`${context.operation}: ${rule}`, { ...context, attempts: 0 })
    this.rule = rule
    if (option !== undefined) this.option = option
  }
}

/** A listing returned the same cursor twice. The items of that page were delivered. */
export class CursorLoop extends failure("CursorLoop") {
  declare readonly from: string

  constructor(context: FailureContext & { readonly from: string }) {
    super(
      `${context.operation}: the service returned a cursor that was used before, so the listing would never end`,
      context
    )
  }
}

/** For operations without an id: the service lacks the operation, or this key or account may not use it. */
export const isNotServed = (error: unknown): boolean =>
  isApiError(error) && (error.lacksOperation || error._tag === "NotFound" || error._tag === "Forbidden")

/** Whether the service has the operation, and does not know the resource. */
export const isUnknownResource = (error: unknown): boolean =>
  isApiError(error) && error._tag === "NotFound" && !error.lacksOperation

/** Every error of a call. With Effect, handle one with `Effect.catchTag`, several with `Effect.catchTags`. */
export type ApiError =
  | Failure
  | ServiceFailure
  | Unavailable
  | TimedOut
  | UnexpectedResponse
  | RequestInvalid
  | CursorLoop

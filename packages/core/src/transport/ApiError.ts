/**
 * The errors of a call, distinguished by `_tag`, by `name` (which equals it) or by class; see docs/api.md#errors. No message
 * and no field contains a secret of the request.
 *
 * Programs with Effect and programs without it use the same classes, so these extend `Error` and need no types of Effect.
 */
import { describeFaults } from "../domain/ErrorBody.ts"

/** The properties of the call that every error contains. */
export interface FailureContext {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  /** Only for a listing: the cursor of the page that failed, null for the first page. */
  readonly from?: string | null | undefined
  /** The HTTP status of the last answer; undefined if there was none. */
  readonly status?: number | undefined
  /** The header of the last answer whose name ends in `request-id`. */
  readonly requestId?: string | undefined
  /** How many times the request was sent. */
  readonly attempts: number
}

abstract class Failure extends Error implements FailureContext {
  abstract override get name(): string
  readonly operation: string
  /**
   * Only for a listing: the cursor of the page that failed, null for the first page. All items before it were delivered;
   * pass it as `from` to resume.
   */
  declare readonly from?: string | null | undefined
  /** Only for an action on many targets: those of the requests before the one that failed, which were done. */
  declare readonly done?: ReadonlyArray<unknown>
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly attempts: number

  constructor(message: string, { attempts, from, operation, requestId, status }: FailureContext, cause?: Error) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = operation
    this.status = status
    this.requestId = requestId
    this.attempts = attempts
    if (from !== undefined) this.from = from
  }

  get _tag(): this["name"] {
    return this.name
  }
}

/** Whether a call failed with it. */
export const isApiError = (error: unknown): error is ApiError => error instanceof Failure

/** One fault of a request. */
export interface Fault {
  /** `body`, `query` or `path`, then the path of the field. */
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
  readonly input?: unknown
  readonly ctx?: { readonly [key: string]: unknown } | undefined
}

/** 422: the service refused the request; `detail` names every fault. */
export class ValidationFailed extends Failure {
  override get name() {
    return "ValidationFailed" as const
  }
  readonly detail: ReadonlyArray<Fault>

  constructor({ detail, ...context }: FailureContext & { readonly detail: ReadonlyArray<Fault> }) {
    super(`${context.operation}: the service refused the request: ${describeFaults(detail)}`, context)
    this.detail = detail
  }
}

interface Refusal extends FailureContext {
  readonly status: number
  readonly message: string
}

/** Another 4xx with the error body of v2. */
export class V2Failure extends Failure {
  override get name() {
    return "V2Failure" as const
  }
  declare readonly status: number
  readonly code: string

  constructor({ code, message, ...context }: Refusal & { readonly code: string }) {
    super(message, context)
    this.code = code
  }
}

/** Another 4xx, with the error body of v4 or an unknown one. */
export class ServiceFailure extends Failure {
  override get name() {
    return "ServiceFailure" as const
  }
  declare readonly status: number
  /** Undefined if the body is unknown. */
  readonly code: string | undefined

  constructor({ code, message, ...context }: Refusal & { readonly code: string | undefined }) {
    super(message, context)
    this.code = code
  }
}

/** 401: the token is missing, expired or revoked, and could not be renewed. Trying again cannot help. */
export class Unauthorized extends Failure {
  override get name() {
    return "Unauthorized" as const
  }
  readonly reason: string

  constructor({ reason, ...context }: FailureContext & { readonly reason: string }) {
    super(`${context.operation}: ${reason}`, context)
    this.reason = reason
  }
}

/** 403: the API key behind the token lacks a permission. */
export class Forbidden extends Failure {
  override get name() {
    return "Forbidden" as const
  }
  /** The permission that the operation needs (docs/api.md#permissions); undefined if unknown. */
  readonly permission: string | undefined

  constructor({ permission, ...context }: FailureContext & { readonly permission: string | undefined }) {
    super(
      permission === undefined
        ? `${context.operation}: the API key lacks the permission for this operation`
        : `${context.operation}: the API key needs the permission "${permission}"`,
      context
    )
    this.permission = permission
  }
}

/** 404: no such resource or path, or one that this token may not see. */
export class NotFound extends Failure {
  override get name() {
    return "NotFound" as const
  }

  constructor(context: FailureContext) {
    super(`${context.operation}: not found; check the id, the base URL and the path prefix`, context)
  }
}

/** 429, after all retries, or at once if retrying cannot help. */
export class RateLimited extends Failure {
  override get name() {
    return "RateLimited" as const
  }
  /** Seconds to wait, if the service sent `Retry-After`, or if the call was not sent because of the limit. */
  readonly retryAfter: number | undefined
  readonly code: string | undefined
  /** Whether it is the search quota that is spent, and not a limit of calls per second. */
  readonly isQuotaSpent: boolean

  constructor({
    code,
    isQuotaSpent,
    message,
    retryAfter,
    ...context
  }: FailureContext & {
    readonly message: string
    readonly retryAfter: number | undefined
    readonly code: string | undefined
    readonly isQuotaSpent: boolean
  }) {
    super(message, context)
    this.retryAfter = retryAfter
    this.code = code
    this.isQuotaSpent = isQuotaSpent
  }
}

/**
 * No answer or a 5xx, after all retries. An operation that changes something is never retried, and may have succeeded
 * although it failed with this error: check before you send it again.
 */
export class Unavailable extends Failure {
  override get name() {
    return "Unavailable" as const
  }
  /** Why there was no answer, or the message of the last answer; undefined if it had none. */
  declare readonly cause: Error | undefined

  constructor({ cause, ...context }: FailureContext & { readonly cause: Error | undefined }) {
    const { attempts, operation, status } = context
    const outcome = status === undefined ? "no answer from the service" : `the service answered ${status}`
    const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`
    super(`${operation}: ${outcome} after ${tries}${cause === undefined ? "" : `: ${cause.message}`}`, context, cause)
  }
}

/** The deadline of the call passed. */
export class TimedOut extends Failure {
  override get name() {
    return "TimedOut" as const
  }
  /** Milliseconds. */
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
export class UnexpectedResponse extends Failure {
  override get name() {
    return "UnexpectedResponse" as const
  }
  declare readonly status: number
  /** The fault, and where it is in the body. Contains no value of the body. */
  readonly reason: string
  /** The same, fault by fault; empty if the body is not JSON. */
  readonly faults: ReadonlyArray<string>
  /**
   * Only for a listing that delivered the page except items that cannot be decoded: the cursor of the next page, null after
   * the last page. Pass it as `from` to continue after them.
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

/** The request breaks a rule of docs/api.md, or the client is configured wrongly. Nothing was sent. */
export class RequestInvalid extends Failure {
  override get name() {
    return "RequestInvalid" as const
  }
  readonly rule: string
  /** Only for a client option: its name, with which `rule` begins. */
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

/** A listing returned a cursor for the second time. The items of that page were delivered. */
export class CursorLoop extends Failure {
  override get name() {
    return "CursorLoop" as const
  }
  declare readonly from: string

  constructor(context: FailureContext & { readonly from: string }) {
    super(
      `${context.operation}: the service returned a cursor that was used before, so the listing would never end`,
      context
    )
  }
}

/** Every failure of a call: with Effect, pick one out with `Effect.catchTag`, several with `Effect.catchTags`. */
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

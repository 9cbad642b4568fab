/**
 * The failures of an operation, with status and code: see docs/api.md#errors. A service raises and encodes them. A call
 * of the client fails with one of them, or with one that only a client has (`client/ApiError`).
 *
 * Programs with and without Effect use the same classes, so these extend `Error` and need no types of Effect.
 */
import {
  describeFaults,
  errorBody,
  statuses,
  type V2Body,
  type V4Body,
  type ValidationBody,
  type ValidationFault,
  type Version
} from "./ErrorBody.ts"

export interface FailureContext {
  /** The method that was called, such as `Credentials.search`; empty if a service raises the failure. */
  readonly operation: string
  /** Only for a listing: the cursor of the failed page; null for the first page. */
  readonly from?: string | null | undefined
  /** The HTTP status of the last response; undefined if there was none. */
  readonly status?: number | undefined
  /** The last response's header whose name ends in `request-id`. */
  readonly requestId?: string | undefined
  /** How often the request was sent. */
  readonly attempts: number
  /**
   * Whether the service seems not to have the operation: a 405, a 501, or a 404 that a router wrote and not the
   * operation.
   */
  readonly lacksOperation?: boolean
}

export abstract class ApiFailure extends Error implements FailureContext {
  abstract override get name(): string
  readonly operation: string
  /**
   * Only for a listing: the cursor of the failed page; null for the first page. All previous items were delivered; pass
   * it as `from` to resume.
   */
  declare readonly from?: string | null | undefined
  /** Only for an action on many targets: the targets of the previous requests, which succeeded. */
  declare readonly done?: ReadonlyArray<unknown>
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly attempts: number
  readonly lacksOperation: boolean

  constructor(
    message: string,
    { attempts = 0, from, lacksOperation = false, operation = "", requestId, status }: Partial<FailureContext>,
    cause?: Error
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = operation
    this.status = status
    this.requestId = requestId
    this.attempts = attempts
    this.lacksOperation = lacksOperation
    if (from !== undefined) this.from = from
  }

  get _tag(): this["name"] {
    return this.name
  }
}

type FailureClass<Name> = abstract new (
  ...args: ConstructorParameters<typeof ApiFailure>
) => ApiFailure & { readonly name: Name }

/** The base class of the error with this name. */
export const failure = <const Name extends string>(name: Name): FailureClass<Name> => {
  abstract class NamedFailure extends ApiFailure {
    override get name() {
      return name
    }
  }
  return NamedFailure
}

const describeCall = ({ operation = "" }: Partial<FailureContext>, text: string): string =>
  operation === "" ? text : `${operation}: ${text}`

/** One error in a request: `loc` is `body`, `query` or `path`, followed by the path of the field. */
export interface Fault extends ValidationFault {}

/** 422: the service rejected the request; `detail` lists every fault. A retry cannot help. */
export class ValidationFailed extends failure("ValidationFailed") {
  readonly detail: ReadonlyArray<Fault>

  constructor({ detail, ...context }: Partial<FailureContext> & { readonly detail: ReadonlyArray<Fault> }) {
    super(describeCall(context, `the service refused the request: ${describeFaults(detail)}`), context)
    this.detail = detail
  }
}

interface Refusal extends Partial<FailureContext> {
  readonly code: string
  readonly message: string
}

/** Any other 4xx with a v2 error body: the request is well-formed, but breaks another rule. */
export class V2Failure extends failure("V2Failure") {
  declare readonly status: number
  readonly code: string

  constructor({ code, message, status = statuses.V2Failure, ...context }: Refusal) {
    super(message, { ...context, status })
    this.code = code
  }
}

/** 401: the token is missing, expired or revoked, and could not be renewed. A retry cannot help. */
export class Unauthorized extends failure("Unauthorized") {
  readonly reason: string

  constructor({ reason = noToken, ...context }: Partial<FailureContext> & { readonly reason?: string } = {}) {
    super(describeCall(context, reason), context)
    this.reason = reason
  }
}

const noToken = "the token is missing, expired or revoked"

/** 403: the API key behind the token lacks a permission. */
export class Forbidden extends failure("Forbidden") {
  /** The required permission (docs/api.md#permissions); undefined if unknown. */
  readonly permission: string | undefined

  constructor({ permission, ...context }: Partial<FailureContext> & { readonly permission: string | undefined }) {
    const need =
      permission === undefined
        ? "the API key lacks the permission for this operation"
        : `the API key needs the permission "${permission}"`
    super(describeCall(context, need), context)
    this.permission = permission
  }
}

/** 404: the resource does not exist, or this token may not see it; or the service does not know the path. */
export class NotFound extends failure("NotFound") {
  /** Targets of a batch that do not exist; only set if a service raises the failure. */
  declare readonly targets?: ReadonlyArray<string>

  constructor({ targets, ...context }: Partial<FailureContext> & { readonly targets?: ReadonlyArray<string> } = {}) {
    const what =
      context.lacksOperation === true
        ? "the service does not know this path; it may lack the operation, or the base URL or the path prefix is wrong"
        : "not found; check the id, the base URL and the path prefix"
    super(describeCall(context, what), context)
    if (targets !== undefined) this.targets = targets
  }
}

/** 429: too many calls, or the quota is exhausted. Raised after all retries, or immediately if a retry cannot help. */
export class RateLimited extends failure("RateLimited") {
  /** Seconds to wait; only set if the service sent `Retry-After`, or if the call was not sent because of the limit. */
  readonly retryAfter: number | undefined
  /** `RATE_LIMITED`, `QUOTA_EXHAUSTED` or another code of the service. */
  readonly code: string | undefined
  /** Whether the search quota is exhausted, as opposed to a limit of calls per second. */
  readonly isQuotaSpent: boolean

  constructor({
    code,
    isQuotaSpent = false,
    message,
    retryAfter,
    ...context
  }: Partial<FailureContext> & {
    readonly message: string
    readonly retryAfter?: number | undefined
    readonly code: string | undefined
    readonly isQuotaSpent?: boolean
  }) {
    super(message, context)
    this.retryAfter = retryAfter
    this.code = code
    this.isQuotaSpent = isQuotaSpent
  }
}

/** A failure in a response of a service. */
export type Failure = ValidationFailed | V2Failure | Unauthorized | Forbidden | NotFound | RateLimited

/** The status and the body of the response for a failure. */
export const encodeFailure = (
  failure: Failure,
  version: Version
): { readonly status: number; readonly body: ValidationBody | V2Body | V4Body } => ({
  status: statuses[failure._tag],
  body: failure._tag === "ValidationFailed" ? { detail: failure.detail } : errorBody[version](codeAndMessage(failure))
})

const codeAndMessage = (failure: Exclude<Failure, ValidationFailed>): V2Body => {
  switch (failure._tag) {
    case "V2Failure":
      return failure
    case "RateLimited":
      return { code: failure.code ?? "RATE_LIMITED", message: failure.message }
    case "Unauthorized":
      return {
        code: "UNAUTHORIZED",
        message: "The API token is missing, expired or revoked: give a valid one"
      }
    case "Forbidden": {
      const permission = failure.permission ?? "for this operation"
      return {
        code: "FORBIDDEN",
        message: `The API key behind the token lacks the permission ${permission}: use a key that has it`
      }
    }
    case "NotFound": {
      const text = "No such resource is visible to this token"
      return {
        code: "NOT_FOUND",
        message: failure.targets === undefined ? text : `${text}: ${failure.targets.join(", ")}`
      }
    }
  }
}

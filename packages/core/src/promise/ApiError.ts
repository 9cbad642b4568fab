/** The errors that a call rejects with, distinguished by `name`. No message and no field contains a secret of the request. */

interface Failed<Name extends string> extends Error {
  readonly name: Name
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  /**
   * Only for a listing: the cursor of the page that failed, null for the first page. All items before it were delivered;
   * pass it as `from` to resume.
   */
  readonly from?: string | null | undefined
}

/** 422: the service refused the request; `detail` names every fault. */
export interface ValidationFailed extends Failed<"ValidationFailed"> {
  readonly detail: ReadonlyArray<{
    /** `body`, `query` or `path`, then the path of the field. */
    readonly loc: ReadonlyArray<string | number>
    readonly msg: string
    readonly type: string
    readonly input?: unknown
    readonly ctx?: { readonly [key: string]: unknown } | undefined
  }>
}

/** Another 4xx with the error body of v2. */
export interface V2Failure extends Failed<"V2Failure"> {
  readonly status: number
  readonly code: string
}

/** Another 4xx, with the error body of v4 or an unknown one; then `code` is absent. */
export interface ServiceFailure extends Failed<"ServiceFailure"> {
  readonly status: number
  readonly code: string | undefined
}

/** 401: the token is missing, expired or revoked, and could not be renewed. */
export interface Unauthorized extends Failed<"Unauthorized"> {}

/** 403: the API key behind the token lacks a permission. */
export interface Forbidden extends Failed<"Forbidden"> {
  /** The permission that the operation needs; undefined if unknown. */
  readonly permission: string | undefined
}

/** 404. */
export interface NotFound extends Failed<"NotFound"> {}

/** 429, after all retries. */
export interface RateLimited extends Failed<"RateLimited"> {
  /** Seconds to wait, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined
  readonly code: string | undefined
}

/**
 * No answer or a 5xx, after all retries. An operation that changes something is never retried, and may have succeeded
 * although it failed with this error: check before you send it again.
 */
export interface Unavailable extends Failed<"Unavailable"> {
  /** How many times the request was sent. */
  readonly attempts: number
  /** The status of the last answer; undefined if there was none. */
  readonly status: number | undefined
  /** Why there was no answer, or the message of the last answer. */
  readonly cause?: unknown
}

/** The deadline of the call passed. */
export interface TimedOut extends Failed<"TimedOut"> {
  /** Milliseconds. */
  readonly deadline: number
}

/** A 2xx that cannot be decoded, or a redirect that is not followed. Never retried. */
export interface UnexpectedResponse extends Failed<"UnexpectedResponse"> {
  readonly status: number
  /** What is wrong, and where in the body. Contains no value of the body. */
  readonly reason: string
}

/** The request breaks a rule of docs/api.md, or the client is configured wrongly. Nothing was sent. */
export interface RequestInvalid extends Failed<"RequestInvalid"> {
  readonly rule: string
}

/** A listing returned a cursor for the second time. The items of that page were delivered. */
export interface CursorLoop extends Failed<"CursorLoop"> {
  readonly from: string
}

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

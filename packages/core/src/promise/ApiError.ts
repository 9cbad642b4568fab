/** What a call can reject with, told apart by `name`. No message and no field holds a secret of the request. */

interface Failed<Name extends string> extends Error {
  readonly name: Name
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  /**
   * Of a listing alone: the cursor of the page that failed, null for the first. Everything before it was delivered; a
   * listing given this `from` goes on there.
   */
  readonly from?: string | null | undefined
}

/** 422: the service refused the request; `detail` names every fault. */
export interface ValidationFailed extends Failed<"ValidationFailed"> {
  readonly detail: ReadonlyArray<{
    /** Where: `body`, `query` or `path`, then the way to the field. */
    readonly loc: ReadonlyArray<string | number>
    readonly msg: string
    readonly type: string
    readonly input?: unknown
    readonly ctx?: { readonly [key: string]: unknown } | undefined
  }>
}

/** Another 4xx, in the words of the v2 endpoints. */
export interface V2Failure extends Failed<"V2Failure"> {
  readonly status: number
  readonly code: string
}

/** Another 4xx, in the error shape of v4 or in none that is known; `code` is absent then. */
export interface ServiceFailure extends Failed<"ServiceFailure"> {
  readonly status: number
  readonly code: string | undefined
}

/** 401: the token is missing, expired or revoked, and could not be renewed. */
export interface Unauthorized extends Failed<"Unauthorized"> {}

/** 403: the API key behind the token lacks a permission. */
export interface Forbidden extends Failed<"Forbidden"> {
  /** The one the operation needs; undefined where the specification names none. */
  readonly permission: string | undefined
}

/** 404. */
export interface NotFound extends Failed<"NotFound"> {}

/** 429, when retries are spent. */
export interface RateLimited extends Failed<"RateLimited"> {
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | undefined
  readonly code: string | undefined
}

/**
 * No answer, or a 5xx, when retries are spent. What changes something is sent once, and may have been done where this is
 * met: see before you send it again.
 */
export interface Unavailable extends Failed<"Unavailable"> {
  /** How often the request was tried. */
  readonly attempts: number
  /** Of the last answer; undefined where there was none. */
  readonly status: number | undefined
  /** Why there was no answer, or what the last one said of itself. */
  readonly cause?: unknown
}

/** The deadline of the call passed. */
export interface TimedOut extends Failed<"TimedOut"> {
  /** Milliseconds. */
  readonly deadline: number
}

/** A success that cannot be decoded, or a redirect that is not followed. Never retried. */
export interface UnexpectedResponse extends Failed<"UnexpectedResponse"> {
  readonly status: number
  /** What is wrong, and where in the body; it holds no value of the body. */
  readonly reason: string
}

/** The request breaks a rule of docs/api.md, or the client is configured wrongly. Nothing was sent. */
export interface RequestInvalid extends Failed<"RequestInvalid"> {
  readonly rule: string
}

/** A listing gave a cursor that it had given before. The items of that page were delivered. */
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

import type * as HttpMethod from "effect/http/HttpMethod"
import type { Tier } from "../api/Endpoints.ts"
import type { Body } from "./ResponseBody.ts"
import { makeScrubber, scrubText } from "./Scrubber.ts"

export interface Call {
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  /** Path after the prefix, without the query. */
  readonly path: string
  /** The query with its question mark; empty if there is none. */
  readonly query: string
  readonly body: unknown
  /** Values of the request that must not appear in an error. */
  readonly secrets: ReadonlyArray<string>
  readonly permission: string | undefined
  readonly tier: Tier
  /** Whether the call changes nothing, so that it may be retried. */
  readonly isRead: boolean
  readonly isFile?: boolean | undefined
  /** Whether any 2xx is a success, even for a read. */
  readonly acceptsAnySuccess?: true | undefined
  /** Whether its path is relative to the base URL, without the prefix. */
  readonly isOutsidePrefix?: true | undefined
  /** Only for a listing: the cursor of the page. */
  readonly from?: string | null | undefined
  /** Only for a listing with variable page size: the body for a smaller page; undefined if it cannot be smaller. */
  readonly smaller?: (() => unknown) | undefined
}

export interface ApiResponse {
  readonly status: number
  readonly body: Body
  readonly requestId: string | undefined
  /** The value of `Retry-After` in seconds. */
  readonly retryAfter: number | undefined
  /** Why a redirect was not followed; undefined if it was, or there was none. */
  readonly refusedRedirect: string | undefined
}

export interface CallResponse extends Pick<ApiResponse, "body" | "requestId" | "status"> {
  readonly attempts: number
  /** All secrets that were sent, including the token. */
  readonly secrets: Iterable<string>
}

export const errorContext = ({ from, operation }: Pick<Call, "from" | "operation">) =>
  from === undefined ? { operation } : { operation, from }

/** The context of an error about a response with a successful status. */
export const responseContext = ({ attempts, requestId, secrets, status }: CallResponse, call: Call) => ({
  ...errorContext(call),
  attempts,
  status,
  requestId: scrubText(requestId, makeScrubber(secrets))
})

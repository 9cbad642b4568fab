/** One request of an operation, and its response. */
import type * as HttpMethod from "effect/http/HttpMethod"
import type { Tier } from "../api/Endpoints.ts"
import type { Body } from "./ResponseBody.ts"

export interface Call {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  /** After the prefix, without the query. */
  readonly path: string
  /** Empty, or beginning with a question mark. */
  readonly query: string
  readonly body: unknown
  /** The values of the request that must not appear in an error. */
  readonly secrets: ReadonlyArray<string>
  readonly permission: string | undefined
  readonly tier: Tier
  /** Whether it may be retried: it changes nothing. */
  readonly isRead: boolean
  /** Whether the body of a success is a file: its bytes are not parsed. */
  readonly isFile?: boolean | undefined
  /** Whether any 2xx is a success, also of a read. */
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
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Why a redirect was not followed. */
  readonly refusedRedirect: string | undefined
}

/** The response of a successful call. */
export interface CallResponse extends Pick<ApiResponse, "body" | "requestId" | "status"> {
  readonly attempts: number
}

/** The fields that every error of the call has. */
export const errorContext = ({ from, operation }: Pick<Call, "from" | "operation">) =>
  from === undefined ? { operation } : { operation, from }

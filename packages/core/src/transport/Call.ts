/** One request as an operation describes it, and its response. */
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
  /** Every value in the request that no error may repeat. */
  readonly secrets: ReadonlyArray<string>
  readonly permission: string | undefined
  readonly tier: Tier
  /** Whether it may be sent a second time: it changes nothing. */
  readonly isRead: boolean
  /** Whether its path is below the base URL and not below the prefix. */
  readonly isOutsidePrefix?: true | undefined
  /** Of a listing alone: the page's cursor. */
  readonly from?: string | null | undefined
  /** Of a listing whose pages may be smaller alone: the body of a smaller page; undefined where there is none. */
  readonly smaller?: (() => unknown) | undefined
}

export interface ApiResponse {
  readonly status: number
  readonly body: Body
  readonly requestId: string | undefined
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Why a redirect was not followed, where it is one. */
  readonly refusedRedirect: string | undefined
}

/** The response that a call succeeded with. */
export interface CallResponse extends Pick<ApiResponse, "body" | "requestId" | "status"> {
  readonly attempts: number
}

/** What every error of the call says of it. */
export const errorContext = ({ from, operation }: Pick<Call, "from" | "operation">) =>
  from === undefined ? { operation } : { operation, from }

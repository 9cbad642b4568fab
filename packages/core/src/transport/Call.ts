/** One request as an operation describes it, and its answer. */
import type * as Effect from "effect/Effect"
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as Option from "effect/Option"
import type { Tier } from "../api/Endpoints.ts"
import type { ApiError } from "./ApiError.ts"
import type { Body } from "./ResponseBody.ts"

export interface Call {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  /** After the prefix, with the query. */
  readonly path: string
  readonly body: unknown
  /** Every value in the request that no error may repeat. */
  readonly secrets: ReadonlyArray<string>
  readonly permission: string | undefined
  readonly tier: Tier
  /** Whether it may be sent a second time: it changes nothing. */
  readonly isRead: boolean
  /** Of a listing alone: the page's cursor. */
  readonly from?: string | null | undefined
  /** The body of a smaller page, for one the service could not serve in time; none when it cannot be smaller. */
  readonly smaller?: Effect.Effect<Option.Option<unknown>, ApiError> | undefined
}

export interface ApiResponse {
  readonly status: number
  readonly body: Body
}

/** What every failure of the call tells of it. */
export const errorContext = (call: Call) =>
  call.from === undefined ? { operation: call.operation } : { operation: call.operation, from: call.from }

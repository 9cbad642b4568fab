/** The bodies of errors: see docs/api.md#errors. */
import { errorBody, versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { SearchTimedOut, StoreRefusal, StoreUnavailable } from "./StoreUnavailable.ts"

/** In the shape of the API version of the path. */
export const refusalBody = (path: string, code: string, message: string): string =>
  JSON.stringify(errorBody[versionOf(path)]({ code, message }))

/** The answer for a failure of the service itself. The cause is logged, and is not part of the answer. */
export const failureAnswer = (path: string, cause: unknown) => {
  if (cause instanceof SearchTimedOut) {
    return { status: 503, headers: { "Retry-After": "30" }, body: refusalBody(path, "UNAVAILABLE", cause.message) }
  }
  // An operator removes the cause of a refusal, such as a missing permission: the log names it.
  return cause instanceof StoreUnavailable || cause instanceof StoreRefusal
    ? { status: 503, headers: { "Retry-After": "5" }, body: refusalBody(path, "UNAVAILABLE", unavailable) }
    : { status: 500, headers: {}, body: refusalBody(path, "INTERNAL", internalFailure) }
}

const unavailable = "The service is temporarily unavailable: try again later"

const internalFailure = "The service failed: its log says why"

export const unknownPath = "There is no operation with this method and path: see /openapi.json for all of them"

export const bodyTooLarge = (maximum: number): string => `The body is longer than ${maximum} bytes: send less at a time`

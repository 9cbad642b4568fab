/** The body of an error that is found before an operation's own handler runs: docs/api.md#errors. */
import { errorBody, versionOf } from "@threat-exposure/core/domain/ErrorBody"

/** In the shape of the version that the path belongs to. */
export const refusalBody = (path: string, code: string, message: string): string =>
  JSON.stringify(errorBody[versionOf(path)]({ code, message }))

export const internalFailure = "The service failed: its log says why"

export const unknownPath = "Nothing is offered at this path with this method: see /openapi.json for what is"

export const bodyTooLarge = (maximum: number): string => `The body is longer than ${maximum} bytes: send less at a time`

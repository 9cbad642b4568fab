import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"

/**
 * Makes a failure that the service answers with, without a stack, which would take longer than the rest of a refusal: nobody
 * reads where a request was refused.
 */
export const withoutStack = <Failure extends Error>(make: () => Failure): Failure => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Makes the answer 422 with these faults. */
export const makeValidationFailed = (detail: ReadonlyArray<ValidationFault>): ValidationFailed =>
  withoutStack(() => new ValidationFailed({ detail }))

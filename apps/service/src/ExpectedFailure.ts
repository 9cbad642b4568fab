import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"

/** Creates a failure without a stack, whose capture would take longer than the rest of the refusal. */
export const withoutStack = <Failure extends Error>(make: () => Failure): Failure => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

export const makeValidationFailed = (detail: ReadonlyArray<ValidationFault>): ValidationFailed =>
  withoutStack(() => new ValidationFailed({ detail }))

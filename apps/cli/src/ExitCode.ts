/** The exit codes of the program (docs/cli.md#exit-codes), and the failures that they stand for. */
import { type ApiError, isApiError } from "@threat-exposure/core/client/ApiError"
import * as Predicate from "effect/Predicate"
import * as CliError from "effect/cli/CliError"

export const exitCodes = {
  done: 0,
  leaked: 1,
  usage: 2,
  incomplete: 3,
  refused: 4,
  unavailable: 5,
  /** `plan` only: the service differs from the file. */
  differs: 6
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * A failure of this program has its code as `exitCode`. Any other failure is a bug and counts as `incomplete`, never as
 * clean.
 */
export const exitCodeOf = (failure: unknown): number => {
  // Without a subcommand only the help is shown: a hook that forgot `check` must fail.
  if (CliError.isCliError(failure)) return exitCodes.usage
  if (isApiError(failure)) return codeOfApiError(failure)
  return Predicate.hasProperty(failure, "exitCode") && typeof failure.exitCode === "number"
    ? failure.exitCode
    : exitCodes.incomplete
}

const codeOfApiError = (error: ApiError): ExitCode => {
  switch (error._tag) {
    case "Unauthorized":
    case "Forbidden":
      return exitCodes.refused
    case "Unavailable":
    case "TimedOut":
    case "UnexpectedResponse":
      return exitCodes.unavailable
    case "RateLimited":
      return error.isQuotaSpent ? exitCodes.incomplete : exitCodes.unavailable
    case "CursorLoop":
      return exitCodes.incomplete
    case "NotFound":
    case "RequestInvalid":
    case "ServiceFailure":
    case "V2Failure":
    case "ValidationFailed":
      return exitCodes.usage
  }
}

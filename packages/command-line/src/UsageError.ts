/** The errors of a command line that cannot be parsed. */
import * as Console from "effect/Console"
import type * as CliError from "effect/cli/CliError"
import type * as CliOutput from "effect/cli/CliOutput"

/** Prints one error for each fault, not the whole help text. */
export const printUsageErrors = ({ commandPath, errors }: InvalidInvocation) =>
  Console.error(
    [...new Set(errors.map((error) => `error: ${describeUsage(error)}`)), `See ${commandPath.join(" ")} --help`].join(
      "\n"
    )
  )

type InvalidInvocation = Extract<CliOutput.Presenter.Event, { readonly _tag: "InvalidInvocation" }>

/** An argument or a refused value may be a misplaced token or password, and standard error may go to a log. */
const describeUsage = (error: CliError.CliError): string => {
  if (error._tag === "UnexpectedArgument") return "Unexpected argument (not repeated here, as it may be a secret)"
  if (error._tag === "UnknownSubcommand") {
    const [closest] = error.suggestions
    return `Unknown command (not repeated here, as it may be a secret)${closest === undefined ? "" : `: did you mean ${closest}?`}`
  }
  if (error._tag === "InvalidValue" && error.expected === "at most 1 value") {
    return `--${error.option} is given more than once`
  }
  const message = error.message.replace("Expected a string representing a finite number", "Expected a number")
  return error._tag === "InvalidValue" && error.value !== ""
    ? message
        .replace(`: "${error.value}".`, " (not repeated here, as it may be a secret).")
        .replace(/, got [\s\S]*$/u, "")
    : message
}

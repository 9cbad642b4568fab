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
    return `Unknown command (not repeated here, as it may be a secret)${didYouMean(error.suggestions)}`
  }
  if (error._tag === "UnrecognizedOption") {
    if (/^-[^-]/u.test(error.option)) return valueWithDash
    return `Unrecognized flag: ${error.option}${didYouMean(error.suggestions)}`
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

const didYouMean = ([closest]: ReadonlyArray<string>) => (closest === undefined ? "" : `: did you mean ${closest}?`)

/** The parser takes a value such as `-5d` as one flag for each letter. */
const valueWithDash =
  "Unknown flags of one letter (not repeated here, as they may be a secret): give a value that begins with a dash after an equals sign, as in --flag=-value"

/** The outputs of a check, and its exit code. */
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { json as reportText } from "@threat-exposure/leak-check/report/Json"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import { type ConsoleOptions, text as consoleText } from "@threat-exposure/leak-check/report/Console"
import { summary as markdownText } from "@threat-exposure/leak-check/report/Markdown"
import { writeReport } from "@threat-exposure/leak-check/report/ReportFile"
import { sarif as sarifText } from "@threat-exposure/leak-check/report/Sarif"
import { failing, isComplete, type Report, type UnsearchedReason } from "@threat-exposure/leak-check/Report"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import manifest from "../../package.json" with { type: "json" }
import { exitCodes, type ExitCode } from "../ExitCode.ts"
import { callerPath } from "../request/CallerPath.ts"
import { fileFailure } from "../output/FileFailure.ts"
import { json, jsonText, tableOptions } from "../output/Output.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { type OutputFormat, outputFormats } from "./CheckFlags.ts"
import type { SelectedRange } from "./Selection.ts"

export interface CheckReport {
  readonly report: Report
  readonly range: SelectedRange
  readonly ignoreFile: string
}

export interface Output {
  readonly format: OutputFormat
  readonly file: string | undefined
}

/** Exactly one output goes to stdout; by default the console's (JSON with `--json`). */
export const outputsOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const isJson = yield* json
  const requested = yield* Effect.forEach(given, outputOf)
  const isShown = requested.some(({ file, format }) => file === undefined && (!isJson || format === "json"))
  const defaultOutput: Output = { format: isJson ? "json" : "console", file: undefined }
  const all = isShown ? requested : [defaultOutput, ...requested]
  for (const [index, { file }] of all.entries()) {
    if (all.findIndex((other) => other.file === file) === index) continue
    return yield* new UsageInvalid({
      message: `--output: two formats go to ${file ?? "standard output"}: give each a file of its own`
    })
  }
  return all
})

const outputOf = Effect.fnUntraced(function* (given: string) {
  const [, name = given, file] = /^([^=]*)(?:=(.+))?$/su.exec(given) ?? []
  const format = outputFormats.find((format) => format === name)
  if (format === undefined) {
    return yield* new UsageInvalid({
      message: `--output: a value is not FORMAT or FORMAT=FILE with a format of ${outputFormats.join(", ")}`
    })
  }
  const output: Output = { format, file: file === undefined ? undefined : yield* callerPath(file) }
  return output
})

/** Writes all outputs, and returns one error for those that could not be written. */
export const publish = Effect.fnUntraced(function* (outputs: ReadonlyArray<Output>, content: CheckReport) {
  // A change under review may have added symbolic links below this folder.
  const folder = yield* callerPath(".")
  const stdio = yield* Stdio.Stdio
  const onTerminal = yield* tableOptions
  const failures: Array<string> = []
  for (const { file, format } of outputs) {
    const text = formatReport(format, content, file === undefined ? onTerminal : { colors: false })
    if (file === undefined) {
      yield* Effect.ignore(Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
    } else {
      yield* writeReport({ file, folder, content: text }).pipe(
        Effect.catch((failure) => {
          const reason = failure._tag === "LinkedOut" ? failure.message : fileFailure(failure.reason)
          return Effect.sync(() => void failures.push(`--output: ${file} cannot be written (${reason})`))
        })
      )
    }
  }
  return failures.length === 0 ? undefined : new UsageInvalid({ message: failures.join("\n") })
})

const formatReport = (
  format: OutputFormat,
  { ignoreFile, range, report }: CheckReport,
  options: ConsoleOptions
): string => {
  switch (format) {
    case "console":
      return `${consoleText(report, options)}\n`
    case "json":
      // The JSON report of the action, plus the range.
      return `${jsonText({ ...JSON.parse(reportText(report)), range }, 2)}\n`
    case "markdown":
      return markdownText(report, { commit: range.head ?? undefined, ignoreFile })
    case "sarif":
      return sarifText(report, { workflowPath: ".env", toolVersion: manifest.version })
    case "junit":
      return junit(report)
    case "gitlab-secret-detection":
      return secretDetection(report, { toolVersion: manifest.version, commit: range.head ?? undefined })
    case "gitlab-codequality":
      return codeQuality(report)
  }
}

export interface ExitRules {
  readonly failOn: "any" | "credentials" | "events" | "none" | "candidates"
  readonly onIncomplete: "fail" | "warn"
  readonly offline: boolean
  /** Whether the service answered a search. */
  readonly isAnswered: boolean
  /** Whether a stealer log contains a name of this machine. */
  readonly isInStealerLog: boolean
}

/**
 * See docs/cli.md#exit-codes. A leak that fails the check takes precedence over everything else; a leak that does not
 * fail it hides no other problem.
 */
export const exitCodeOf = (
  report: Report,
  { failOn, isAnswered, isInStealerLog, offline, onIncomplete }: ExitRules
): ExitCode => {
  // Offline, unsearched candidates are expected, but unread files are not.
  const isLeaked =
    failOn === "candidates"
      ? report.unsearched.length > 0
      : !offline &&
        (failing(report, failOn).length > 0 || (isInStealerLog && (failOn === "any" || failOn === "events")))
  if (isLeaked) return exitCodes.leaked
  if (onIncomplete === "warn") return exitCodes.done
  if (report.verdict === "skipped") return exitCodes.refused
  if (isComplete(offline ? { ...report, unsearched: [] } : report)) return exitCodes.done
  const isDown = report.searches > 0 && !isAnswered && report.unsearched.every(({ reason }) => isOutage.has(reason))
  return isDown ? exitCodes.unavailable : exitCodes.incomplete
}

/** Reasons for unsearched targets that indicate an outage of the service. */
const isOutage: ReadonlySet<UnsearchedReason> = new Set(["error", "max-searches"])

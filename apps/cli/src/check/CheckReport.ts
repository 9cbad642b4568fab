/** The report of a check on the terminal, and its exit code. */
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { json as reportText } from "@threat-exposure/leak-check/report/Json"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import { type ConsoleOptions, text as consoleText } from "@threat-exposure/leak-check/report/Console"
import { summary as markdownText } from "@threat-exposure/leak-check/report/Markdown"
import { sarif as sarifText } from "@threat-exposure/leak-check/report/Sarif"
import { failing, isComplete, type Report, type UnsearchedReason } from "@threat-exposure/leak-check/Report"
import manifest from "../../package.json" with { type: "json" }
import { exitCodes, type ExitCode } from "../ExitCode.ts"
import { jsonText } from "../output/Output.ts"
import type { OutputFormat } from "./CheckFlags.ts"
import type { SelectedRange } from "./Selection.ts"

export interface CheckReport {
  readonly report: Report
  readonly range: SelectedRange
  readonly ignoreFile: string
}

export const formatted = (
  format: OutputFormat,
  { ignoreFile, range, report }: CheckReport,
  options: ConsoleOptions
): string => {
  switch (format) {
    case "console":
      return `${consoleText(report, options)}\n`
    case "json":
      // The report of the action, and where the range came from.
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
}

/** See docs/cli.md#exit-codes. A leak that fails the check wins over everything else; one that does not hides nothing. */
export const exitCodeOf = (report: Report, { failOn, isAnswered, offline, onIncomplete }: ExitRules): ExitCode => {
  // Offline, unsearched candidates are expected, but unread files are not.
  const isLeaked =
    failOn === "candidates" ? report.unsearched.length > 0 : !offline && failing(report, failOn).length > 0
  if (isLeaked) return exitCodes.leaked
  if (onIncomplete === "warn") return exitCodes.done
  if (report.verdict === "skipped") return exitCodes.refused
  if (isComplete(offline ? { ...report, unsearched: [] } : report)) return exitCodes.done
  const isDown = report.searches > 0 && !isAnswered && report.unsearched.every(({ reason }) => isOutage.has(reason))
  return isDown ? exitCodes.unavailable : exitCodes.incomplete
}

/** The reasons for unsearched targets that mean that the service is unavailable. */
const isOutage: ReadonlySet<UnsearchedReason> = new Set(["error", "max-searches"])

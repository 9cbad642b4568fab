/** The report of a check on the terminal, and its exit code. */
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { json as jsonText } from "@threat-exposure/leak-check/report/Json"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import { text as consoleText } from "@threat-exposure/leak-check/report/Console"
import { summary as markdownText } from "@threat-exposure/leak-check/report/Markdown"
import { sarif as sarifText } from "@threat-exposure/leak-check/report/Sarif"
import { failing, type Report } from "@threat-exposure/leak-check/Report"
import manifest from "../../package.json" with { type: "json" }
import { exitCodes, type ExitCode } from "../ExitCode.ts"
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
  options: { readonly colors: boolean; readonly width: number }
): string => {
  switch (format) {
    case "console":
      return `${consoleText(report, options)}\n`
    case "json":
      // The report of the action, and where the range came from.
      return `${JSON.stringify({ ...JSON.parse(jsonText(report)), range }, null, 2)}\n`
    case "markdown":
      return markdownText(report, { repositoryUrl: undefined, commit: range.head ?? undefined, ignoreFile })
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
}

/** See docs/cli.md#exit-codes. A leak wins over everything else. */
export const exitCodeOf = (report: Report, { failOn, offline, onIncomplete }: ExitRules): ExitCode => {
  if (offline) {
    if (failOn === "candidates" && report.unsearched.length > 0) return exitCodes.leaked
    // That nothing is searched is what was asked for; that something could not be read is not.
    return report.gaps.length > 0 && onIncomplete !== "warn" ? exitCodes.incomplete : exitCodes.done
  }
  if (failOn !== "candidates" && report.verdict === "leaked" && failing(report, failOn).length > 0) {
    return exitCodes.leaked
  }
  if (report.verdict === "clean" || report.verdict === "leaked" || onIncomplete === "warn") return exitCodes.done
  if (report.verdict === "skipped") return exitCodes.refused
  return nothingAnswered(report) ? exitCodes.unavailable : exitCodes.incomplete
}

/** Searches were sent, and every one of them failed. */
const nothingAnswered = ({ planned, searches, unsearched }: Report): boolean =>
  searches > 0 &&
  unsearched.every(({ reason }) => reason === "error") &&
  unsearched.reduce((sum, { missing }) => sum + missing.length, 0) === planned.searches

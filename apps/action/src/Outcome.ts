/** What a report means for the step. */
import { failing, type Report } from "@threat-exposure/leak-check/Report"

export interface Rules {
  readonly failOn: "any" | "credentials" | "events" | "none"
  readonly onIncomplete: "fail" | "warn"
}

/** The reason for which the step fails; undefined where it passes. */
export const failureOf = (report: Report, rules: Rules): string | undefined => {
  switch (report.verdict) {
    case "leaked": {
      const leaks = failing(report, rules.failOn)
      if (leaks.length === 0) return undefined
      return `${leaks.length === 1 ? "A leak was" : `${leaks.length} leaks were`} found: what leaked, where and what to do is in the summary of this run`
    }
    case "incomplete":
      return rules.onIncomplete === "fail"
        ? "Not everything could be searched, so that nobody can say it is clean: what is missing, and why, is in the summary of this run"
        : undefined
    case "clean":
    case "skipped":
      return undefined
  }
}

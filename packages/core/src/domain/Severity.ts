import { open } from "./schema/Tolerant.ts"
import { oneOf } from "./schema/RequestField.ts"

/** Severities in ascending order, so that two can be compared by index. See docs/api.md#event. */
export const severities = ["info", "low", "medium", "high", "critical"] as const

export const Severity = oneOf("Severity", severities)
export type Severity = typeof Severity.Type

/** A severity in a response: a known one, or one that was added later. */
export const ReportedSeverity = open(severities)
export type ReportedSeverity = typeof ReportedSeverity.Type

/** Whether `severity` is `minSeverity` or higher. An unknown severity ranks as critical. */
export const isAtLeast = (severity: ReportedSeverity, minSeverity: Severity): boolean => {
  const rank = severities.findIndex((known) => known === severity)
  return rank === -1 || rank >= severities.indexOf(minSeverity)
}

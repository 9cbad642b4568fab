import { DateTime, Duration } from "effect"
import type { Severity } from "@threat-exposure/core/domain/Severity"

/** The settings of a check: what counts, and its budget. ConfigSettings defines those that a config file can set. */
export interface Settings {
  /** Events below this severity do not count. */
  readonly minSeverity: Severity
  /** Only for domains: leaks imported or created earlier do not count. */
  readonly since: DateTime.Utc
  /** `fail`: leaks of domains count; `warn`: they are reported, but do not count; `off`: domains are not searched. */
  readonly domainLeaks: "fail" | "warn" | "off"
  /** Maximum number of search requests. Retries do not count. */
  readonly maxSearches: number
  /** Units of quota to leave unused; up to four requests in flight may still use some. */
  readonly quotaReserve: number
  /** Time limit from the start of the run; requests in flight are then aborted. */
  readonly deadline: Duration.Duration
  /** Candidates below this confidence are never sent. */
  readonly minConfidence: number
  /** A value that more accounts than this share is considered common. */
  readonly commonAbove: number
  /** How many searches per second the service allows; the editor uses it for estimates. */
  readonly searchesPerSecond: number
}

/** The defaults; `since` is 30 days before `now`. */
export const defaults = (now: DateTime.Utc): Settings => ({
  minSeverity: "low",
  since: DateTime.subtractDuration(now, Duration.days(30)),
  domainLeaks: "fail",
  maxSearches: 200,
  quotaReserve: 0,
  deadline: Duration.minutes(10),
  minConfidence: 0.5,
  commonAbove: 20,
  searchesPerSecond: 1
})

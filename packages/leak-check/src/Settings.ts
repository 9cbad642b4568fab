import { DateTime, Duration } from "effect"
import type { Severity } from "@threat-exposure/core/domain/Severity"

/** The settings of a check: what counts, and its budget. A config file sets some of them, as ConfigSettings. */
export interface Settings {
  /** Events below it do not count. */
  readonly minSeverity: Severity
  /** For domains only: what was imported or created before does not count. */
  readonly since: DateTime.Utc
  /** `fail`: they count; `warn`: reported, do not count; `off`: not searched. */
  readonly domainLeaks: "fail" | "warn" | "off"
  /** Maximum number of search requests. Retries do not count. */
  readonly maxSearches: number
  /** Units of quota to leave; the requests in flight, four at most, may pass it. */
  readonly quotaReserve: number
  /** Counted from the start of the run; requests in flight at that time are aborted. */
  readonly deadline: Duration.Duration
  /** Candidates of less confidence are never sent. */
  readonly minConfidence: number
  /** More accounts than this with one value mark it as common. */
  readonly commonAbove: number
  /** How many searches a second the service allows, for estimates of the editor. */
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

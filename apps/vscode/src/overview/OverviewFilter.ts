import { Severity } from "@threat-exposure/core/domain/Severity"
import { Clock, Effect, Schema } from "effect"

export const OverviewFilter = Schema.Struct({
  /** The last 30 days or the last 12 months. */
  period: Schema.Literals(["days", "months"]),
  /** Minimum severity. */
  severity: Severity
})
export interface OverviewFilter extends Schema.Schema.Type<typeof OverviewFilter> {}

/** First day of the last twelve months in UTC. */
export const firstMonth = Effect.map(Clock.currentTimeMillis, (millis) => {
  const now = new Date(millis)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1)).toISOString().slice(0, 10)
})

export const defaultFilter: OverviewFilter = { period: "days", severity: "info" }

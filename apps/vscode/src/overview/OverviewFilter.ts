/** The filter of the overview. */
import { Severity } from "@threat-exposure/core/domain/Severity"
import { Schema } from "effect"

export const OverviewFilter = Schema.Struct({
  /** The last 30 days, or the last 12 months. */
  period: Schema.Literals(["days", "months"]),
  /** The lowest severity. */
  severity: Severity
})
export interface OverviewFilter extends Schema.Schema.Type<typeof OverviewFilter> {}

export const defaultFilter: OverviewFilter = { period: "days", severity: "info" }

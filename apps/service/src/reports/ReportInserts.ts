import type { NewReport } from "@threat-exposure/core/domain/Report"
import { procedure } from "../sqlite/Procedure.ts"

export interface ReportToCreate {
  readonly tenantId: number
  readonly report: NewReport
  /** ISO 8601. */
  readonly now: string
}

export const createReportJob = procedure(
  "reports.create",
  ({ connection }, { now, report, tenantId }: ReportToCreate): void => {
    connection.run(
      "INSERT INTO reports (tenant_id, report, created_at) VALUES (?, ?, ?)",
      tenantId,
      JSON.stringify(report),
      now
    )
  }
)

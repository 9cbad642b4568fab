import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type OrderedReport, ReportStore } from "../reports/Reports.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"

export const ReportStoreSqlite = Layer.effect(
  ReportStore,
  Effect.map(Database, ({ write }) => ReportStore.of({ insert: (report) => write(insert, report) }))
)

const insert = procedure(
  "ReportStore.insert",
  ({ connection }, { createdAt, report, tenantId }: OrderedReport): void => {
    connection.run(
      "INSERT INTO reports (tenant_id, report, created_at) VALUES (?, ?, ?)",
      tenantId,
      JSON.stringify(report),
      createdAt
    )
  }
)

export const reportProcedures = [insert]

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { type OrderedReport, ReportStore, type StoredReport } from "../reports/Reports.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { nextNumber } from "./database/Numbers.ts"
import { procedure } from "./database/Procedure.ts"
import { jsonColumn } from "../requests/JsonText.ts"

export const ReportStoreSqlite = Layer.effect(
  ReportStore,
  Effect.map(Database, ({ read, write }) =>
    ReportStore.of({
      insert: (report) => write(insert, report),
      list: (tenantId) => read(list, tenantId),
      find: (tenantId, id) => read(find, { tenantId, id })
    })
  )
)

const insert = procedure(
  "ReportStore.insert",
  ({ connection }, { createdAt, report, tenantId }: OrderedReport): void => {
    const id = nextNumber(connection, "reports")
    connection.insert("reports", { id, tenant_id: tenantId, report: JSON.stringify(report), created_at: createdAt })
  }
)

const list = procedure("ReportStore.list", ({ connection }, tenantId: number): ReadonlyArray<StoredReport> =>
  connection.own(reportsOf, [tenantId])
)

const find = procedure(
  "ReportStore.find",
  ({ connection }, { id, tenantId }: { readonly tenantId: number; readonly id: string }): StoredReport | undefined =>
    connection.first(reportOf, tenantId, id)
)

const Report = Schema.Struct({
  id: Schema.Int,
  tenantId: Schema.Int,
  report: jsonColumn(NewReport),
  createdAt: Schema.String
})

const reportsOf = select(Report, "FROM reports WHERE tenant_id = ?")

const reportOf = select(Report, "FROM reports WHERE tenant_id = ? AND CAST(id AS TEXT) = ?")

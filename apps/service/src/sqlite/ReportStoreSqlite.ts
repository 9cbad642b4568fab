import * as Schema from "effect/Schema"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { maxReports, ReportStore } from "../reports/Reports.ts"
import { type Connection, select } from "./database/Connection.ts"
import { nextNumber } from "./database/Numbers.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { jsonColumn } from "../requests/JsonText.ts"

export const ReportStoreSqlite = storeLayer(ReportStore)(({ read, write }) => ({
  insert: write("insert", ({ connection }, { createdAt, report, tenantId }) => {
    if (countOf(connection, tenantId) >= maxReports) return false
    const id = nextNumber(connection, "reports")
    connection.insert("reports", { id, tenant_id: tenantId, report: JSON.stringify(report), created_at: createdAt })
    return true
  }),
  count: read("count", ({ connection }, tenantId) => countOf(connection, tenantId)),
  list: read("list", ({ connection }, tenantId) => connection.own(reportsOf, [tenantId])),
  find: read("find", ({ connection }, tenantId, id) => connection.first(reportOf, tenantId, id))
}))

const countOf = (connection: Connection, tenantId: number): number =>
  connection.count("FROM reports WHERE tenant_id = ?", tenantId)

const Report = Schema.Struct({
  id: Schema.Int,
  tenantId: Schema.Int,
  report: jsonColumn(NewReport),
  createdAt: Schema.String
})

const reportsOf = select(Report, "FROM reports WHERE tenant_id = ?")

const reportOf = select(Report, "FROM reports WHERE tenant_id = ? AND CAST(id AS TEXT) = ?")

import * as Schema from "effect/Schema"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { ReportStore } from "../reports/Reports.ts"
import { select } from "./database/Connection.ts"
import { nextNumber } from "./database/Numbers.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { jsonColumn } from "../requests/JsonText.ts"

export const ReportStoreSqlite = storeLayer(ReportStore)(({ read, write }) => ({
  insert: write("insert", ({ connection }, { createdAt, report, tenantId }) => {
    const id = nextNumber(connection, "reports")
    connection.insert("reports", { id, tenant_id: tenantId, report: JSON.stringify(report), created_at: createdAt })
  }),
  count: read("count", ({ connection }, tenantId) => connection.count("FROM reports WHERE tenant_id = ?", tenantId)),
  list: read("list", ({ connection }, tenantId) => connection.own(reportsOf, [tenantId])),
  find: read("find", ({ connection }, tenantId, id) => connection.first(reportOf, tenantId, id))
}))

const Report = Schema.Struct({
  id: Schema.Int,
  tenantId: Schema.Int,
  report: jsonColumn(NewReport),
  createdAt: Schema.String
})

const reportsOf = select(Report, "FROM reports WHERE tenant_id = ?")

const reportOf = select(Report, "FROM reports WHERE tenant_id = ? AND CAST(id AS TEXT) = ?")

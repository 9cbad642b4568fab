import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { type OrderedReport, ReportStore, type StoredReport } from "../reports/Reports.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"
import { jsonColumn } from "../requests/JsonText.ts"

export const ReportStoreSqlite = Layer.effect(
  ReportStore,
  Effect.map(Database, ({ read, write }) =>
    ReportStore.of({
      insert: (report) => write(insert, report),
      list: (tenantId) => read(list, { tenantId, id: null }),
      find: (tenantId, id) => Effect.map(read(list, { tenantId, id }), ([report]) => report)
    })
  )
)

const insert = procedure(
  "ReportStore.insert",
  ({ connection }, { createdAt, report, tenantId }: OrderedReport): void => {
    connection.insert("reports", { tenant_id: tenantId, report: JSON.stringify(report), created_at: createdAt })
  }
)

/** The report with one id, or all of them. */
const list = procedure(
  "ReportStore.list",
  (
    { connection },
    { id, tenantId }: { readonly tenantId: number; readonly id: string | null }
  ): ReadonlyArray<StoredReport> => connection.all(reportsOf, tenantId, id, id)
)

const reportsOf = select(
  Schema.Struct({ id: Schema.Int, tenantId: Schema.Int, report: jsonColumn(NewReport), createdAt: Schema.String }),
  "FROM reports WHERE tenant_id = ? AND (? IS NULL OR CAST(id AS TEXT) = ?)"
)

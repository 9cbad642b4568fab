import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Cluster } from "./cluster/Cluster.ts"
import { textFor } from "../requests/ForeignRecords.ts"
import { type IndexDefinition, keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredReports } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { ReportStore, type StoredReport } from "../reports/Reports.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

export const ReportStoreOpenSearch = Layer.effect(
  ReportStore,
  Effect.map(Cluster, (cluster) =>
    ReportStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, report, tenantId }) {
        for (;;) {
          const id = String(yield* cluster.nextNumber("reports"))
          // A number may be taken by a report that was moved here from a database.
          if (yield* cluster.put(reportIndex, id, { tenantId, report: JSON.stringify(report), createdAt }, "absent"))
            return
        }
      }),
      list: (tenantId) =>
        Effect.map(cluster.all(reportIndex, { query: { term: { tenantId } }, sort: [{ _seq_no: "asc" }] }), (reports) =>
          reports.map(({ document, id }) => storedReport(id, document))
        ),
      find: (tenantId, id) =>
        Effect.map(cluster.get(reportIndex, id), (found) =>
          found?.document.tenantId === tenantId ? storedReport(id, found.document) : undefined
        )
    })
  )
)

/** Reports that were moved here from a database have kept their ids. */
const storedReport = (id: string, { createdAt, report, tenantId }: typeof ReportDocument.Type): StoredReport => ({
  id: /^\d+$/u.test(id) ? Number(id) : id,
  tenantId,
  report: decodeReport(report),
  createdAt
})

const decodeReport = jsonDecoder(NewReport)

const ReportDocument = Schema.Struct({ tenantId: Schema.Int, report: textFor(decodeReport), createdAt: Schema.String })

export const reportIndex: IndexDefinition<typeof ReportDocument.Type> = {
  name: "reports",
  version: 1,
  properties: { tenantId: { type: "long" }, report: keptOnly, createdAt: keptOnly },
  document: ReportDocument
}

export const reportsTransfer = defineTransfer({
  table: transferredReports,
  index: reportIndex,
  toDocument: ({ id, ...document }) => ({ id: String(id), document })
})

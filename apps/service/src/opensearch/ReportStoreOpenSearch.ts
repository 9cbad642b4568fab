import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { textFor } from "../requests/ForeignRecords.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredReports } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { ReportStore, type StoredReport } from "../reports/Reports.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

export const ReportStoreOpenSearch = Layer.effect(
  ReportStore,
  Effect.map(KeyedCluster, (keyed) =>
    ReportStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, report, tenantId }) {
        const { cluster } = keyed.now
        for (;;) {
          const id = String(yield* cluster.nextNumber("reports"))
          // A number may be taken by a report that was moved here from a database.
          if (yield* cluster.put(reportIndex, id, { tenantId, report: JSON.stringify(report), createdAt }, "absent"))
            return
        }
      }),
      count: (tenantId) => Effect.suspend(() => keyed.now.cluster.count(reportIndex, { term: { tenantId } })),
      list: (tenantId) =>
        Effect.suspend(() =>
          Effect.map(
            keyed.now.cluster.all(reportIndex, { query: { term: { tenantId } }, sort: [{ _seq_no: "asc" }] }),
            (reports) => reports.map(({ document, id }) => storedReport(id, document))
          )
        ),
      find: (tenantId, id) =>
        Effect.suspend(() =>
          Effect.map(keyed.now.cluster.get(reportIndex, id), (found) =>
            found?.document.tenantId === tenantId ? storedReport(id, found.document) : undefined
          )
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

export const reportIndex = sealedIndex<typeof ReportDocument.Type>({
  name: "reports",
  version: 2,
  properties: { tenantId: { type: "long" }, report: keptOnly, createdAt: keptOnly },
  document: ReportDocument
})

export const reportsTransfer = defineTransfer({
  table: transferredReports,
  index: reportIndex,
  toDocument: ({ id, ...document }) => ({ id: String(id), document })
})

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
import { maxReports, ReportStore, type StoredReport } from "../reports/Reports.ts"
import { addWithin } from "./Reservations.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

export const ReportStoreOpenSearch = Layer.effect(
  ReportStore,
  Effect.map(KeyedCluster, (keyed) =>
    ReportStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, report, tenantId }) {
        const { cluster } = keyed.now
        const document = { tenantId, report: JSON.stringify(report), createdAt }
        for (;;) {
          const id = String(yield* cluster.nextNumber("reports"))
          const addition = { tenantId, index: reportIndex, ids: [id], query: { term: { tenantId } }, max: maxReports }
          const isStored = yield* addWithin(cluster, addition, cluster.put(reportIndex, id, document, "absent"))
          if (isStored === undefined) return false
          // A number may be taken by a report that was moved here from a database.
          if (isStored) return true
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

import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Cluster } from "./cluster/Cluster.ts"
import { type IndexDefinition, keptOnly, smallIndex } from "./cluster/IndexDefinition.ts"
import { transferredReports } from "../transfer/TransferredTables.ts"
import { transferredDocuments } from "./cluster/ClusterTransfer.ts"
import { ReportStore } from "../reports/Reports.ts"

export const ReportStoreOpenSearch = Layer.effect(
  ReportStore,
  Effect.map(Cluster, (cluster) =>
    ReportStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, report, tenantId }) {
        const id = yield* Effect.sync(() => randomUUID())
        yield* cluster.put(reportIndex, id, { tenantId, report: JSON.stringify(report), createdAt })
      })
    })
  )
)

const ReportDocument = Schema.Struct({ tenantId: Schema.Int, report: Schema.String, createdAt: Schema.String })

export const reportIndex: IndexDefinition<typeof ReportDocument.Type> = {
  name: "reports",
  version: 1,
  settings: smallIndex,
  properties: { tenantId: { type: "long" }, report: keptOnly, createdAt: keptOnly },
  document: ReportDocument
}

export const reportsTransfer = transferredDocuments({
  table: transferredReports,
  index: reportIndex,
  toDocument: ({ id, ...document }) => ({ id: String(id), document })
})

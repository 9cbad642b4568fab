import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Cluster } from "../opensearch/Cluster.ts"
import { type IndexDefinition, smallIndex } from "../opensearch/IndexDefinition.ts"
import { QuotaStore } from "./Quota.ts"

export const QuotaStoreOpenSearch = Layer.effect(
  QuotaStore,
  Effect.map(Cluster, (cluster) => {
    const idOf = (tenantId: number, month: string) => `${tenantId}:${month}`
    return QuotaStore.of({
      used: (tenantId, month) =>
        Effect.map(cluster.get(quotaIndex, idOf(tenantId, month)), (stored) => stored?.document.units ?? 0),
      add: (uses) =>
        Effect.forEach(
          uses,
          ({ month, tenantId, units }) =>
            cluster.update(quotaIndex, idOf(tenantId, month), (use) => ({
              tenantId,
              month,
              units: (use?.units ?? 0) + units
            })),
          { discard: true, concurrency: 8 }
        )
    })
  })
)

const QuotaDocument = Schema.Struct({ tenantId: Schema.Int, month: Schema.String, units: Schema.Int })

export const quotaIndex: IndexDefinition<typeof QuotaDocument.Type> = {
  name: "quota-use",
  version: 1,
  settings: smallIndex,
  properties: { tenantId: { type: "long" }, month: { type: "keyword" }, units: { type: "long" } },
  document: QuotaDocument
}

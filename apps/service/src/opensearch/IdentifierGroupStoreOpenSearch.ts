import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Cluster } from "./cluster/Cluster.ts"
import { idOfTenant, type IndexDefinition, keptOnly, smallIndex } from "./cluster/IndexDefinition.ts"
import { transferredGroups } from "../transfer/TransferredTables.ts"
import { transferredDocuments } from "./cluster/ClusterTransfer.ts"
import { completeGroup, IdentifierGroupStore } from "../identifier-groups/IdentifierGroups.ts"

export const IdentifierGroupStoreOpenSearch = Layer.effect(
  IdentifierGroupStore,
  Effect.map(Cluster, (cluster) => {
    /** As on SQLite: the smallest free id after one that is taken. A request may have named the largest integer. */
    const freeId = (tenantId: number) =>
      Effect.map(
        cluster.all(groupIndex, {
          query: { bool: { filter: [{ term: { tenant_id: tenantId } }, { range: { id: { gte: 1 } } }] } },
          sort: [{ id: "asc" }]
        }),
        (groups) => {
          const ids = groups.map(({ document }) => document.id)
          return (ids.find((id, at) => id < Number.MAX_SAFE_INTEGER && ids[at + 1] !== id + 1) ?? 0) + 1
        }
      )
    return IdentifierGroupStore.of({
      put: Effect.fnUntraced(function* (given) {
        const { group, tenantId } = given
        if (group.id != null) {
          const completed = completeGroup(group.id, given)
          yield* cluster.put(groupIndex, idOfTenant(tenantId, group.id), completed)
          return completed
        }
        for (;;) {
          const completed = completeGroup(yield* freeId(tenantId), given)
          // Another request may have taken the id.
          if (yield* cluster.put(groupIndex, idOfTenant(tenantId, completed.id), completed, "absent")) return completed
        }
      })
    })
  })
)

const GroupDocument = Schema.Struct({
  id: Schema.Int,
  tenant_id: Schema.Int,
  feed_id: Schema.NullOr(Schema.Int),
  feed_owner_id: Schema.NullOr(Schema.Int),
  name: Schema.NullOr(Schema.String),
  urn: Schema.NullOr(Schema.String)
})

export const groupIndex: IndexDefinition<typeof GroupDocument.Type> = {
  name: "identifier-groups",
  version: 1,
  settings: smallIndex,
  properties: {
    id: { type: "long" },
    tenant_id: { type: "long" },
    feed_id: { type: "long" },
    feed_owner_id: { type: "long" },
    name: keptOnly,
    urn: keptOnly
  },
  document: GroupDocument
}

export const groupsTransfer = transferredDocuments({
  table: transferredGroups,
  index: groupIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenant_id, document.id), document })
})

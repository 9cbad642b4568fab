import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { updateMany } from "./cluster/BulkUpdate.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { idOfTenant, type IndexDefinition, keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredMembers } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { TenantStore } from "../tenants/Tenants.ts"

export const TenantStoreOpenSearch = Layer.effect(
  TenantStore,
  Effect.map(Cluster, (cluster) =>
    TenantStore.of({
      putMembers: ({ addedAt, members, tenantId }) =>
        Effect.asVoid(
          updateMany(
            cluster,
            memberIndex,
            tenantId,
            new Map(
              members.map(({ isReadonly, role, userId }) => [
                idOfTenant(tenantId, userId),
                (member) => ({ tenantId, userId, isReadonly, role, addedAt: member?.addedAt ?? addedAt })
              ])
            )
          )
        ),
      members: (tenantId) =>
        Effect.map(cluster.all(memberIndex, { query: { term: { tenantId } }, sort: [{ userId: "asc" }] }), (members) =>
          members.map(({ document: { isReadonly, role, userId } }) => ({ userId, isReadonly, role }))
        ),
      removeMember: (tenantId, userId) => cluster.remove(memberIndex, idOfTenant(tenantId, userId))
    })
  )
)

const Member = Schema.Struct({
  tenantId: Schema.Int,
  userId: Schema.Int,
  isReadonly: Schema.Boolean,
  role: Schema.String,
  addedAt: Schema.String
})

export const memberIndex: IndexDefinition<typeof Member.Type> = {
  name: "tenant-users",
  version: 1,
  properties: {
    tenantId: { type: "long" },
    userId: { type: "long" },
    isReadonly: { type: "boolean" },
    role: keptOnly,
    addedAt: keptOnly
  },
  document: Member
}

export const membersTransfer = defineTransfer({
  table: transferredMembers,
  index: memberIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenantId, document.userId), document })
})

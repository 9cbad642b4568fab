import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { updateMany } from "./cluster/BulkUpdate.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { idOfTenant, keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredMembers } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { addWithin } from "./Reservations.ts"
import { maxMembers, TenantStore } from "../tenants/Tenants.ts"

export const TenantStoreOpenSearch = Layer.effect(
  TenantStore,
  Effect.map(KeyedCluster, (keyed) =>
    TenantStore.of({
      putMembers: Effect.fnUntraced(function* ({ addedAt, members, tenantId }) {
        const { cluster } = keyed.now
        const changes = new Map(
          members.map(({ isReadonly, role, userId }) => [
            idOfTenant(tenantId, userId),
            (member: Member | undefined) => ({
              tenantId,
              userId,
              isReadonly,
              role,
              addedAt: member?.addedAt ?? addedAt
            })
          ])
        )
        const query = { term: { tenantId } }
        const addition = { tenantId, index: memberIndex, ids: [...changes.keys()], query, max: maxMembers }
        const added = yield* addWithin(cluster, addition, updateMany(cluster, memberIndex, tenantId, changes))
        return added !== undefined
      }),
      members: (tenantId) =>
        Effect.suspend(() =>
          Effect.map(
            keyed.now.cluster.all(memberIndex, { query: { term: { tenantId } }, sort: [{ userId: "asc" }] }),
            (members) => members.map(({ document: { isReadonly, role, userId } }) => ({ userId, isReadonly, role }))
          )
        ),
      removeMember: (tenantId, userId) =>
        Effect.suspend(() => keyed.now.cluster.remove(memberIndex, idOfTenant(tenantId, userId)))
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
type Member = typeof Member.Type

export const memberIndex = sealedIndex<Member>({
  name: "tenant-users",
  version: 2,
  properties: {
    tenantId: { type: "long" },
    userId: { type: "long" },
    isReadonly: { type: "boolean" },
    role: keptOnly,
    addedAt: keptOnly
  },
  document: Member
})

export const membersTransfer = defineTransfer({
  table: transferredMembers,
  index: memberIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenantId, document.userId), document })
})

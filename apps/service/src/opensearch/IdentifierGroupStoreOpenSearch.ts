import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { orNotFound } from "../requests/NotFound.ts"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import type { IdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import type { Cluster } from "./cluster/Cluster.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { attemptAll, repeatRecovery, requestsOverUntil } from "../requests/Recovery.ts"
import { identifierIndex } from "./IdentifierIndex.ts"
import { addWithin } from "./Reservations.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { idOfTenant, keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredGroups } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import {
  changeGroup,
  completeGroup,
  groupCounter,
  IdentifierGroupStore,
  isCounted,
  maxGroups,
  refuseGroup
} from "../identifier-groups/IdentifierGroupStore.ts"

export const IdentifierGroupStoreOpenSearch = Layer.effect(
  IdentifierGroupStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    yield* repeatRecovery(Effect.suspend(() => completeDeletions(keyed.now.cluster)))
    return IdentifierGroupStore.of({
      put: Effect.fnUntraced(function* (tenantId, group) {
        const { cluster } = keyed.now
        for (;;) {
          const id = group.id ?? (yield* freeId(cluster, tenantId))
          const key = idOfTenant(tenantId, id)
          const document = documentOf(completeGroup(tenantId, id, group), tenantId)
          const add = Effect.gen(function* () {
            const former = (yield* cluster.get(groupIndex, key))?.document
            if (former?.isDeleted === true) yield* removeMembers(cluster, former)
            if (group.id != null && isCounted(group.id)) {
              yield* cluster.passNumber(groupCounter(tenantId), group.id)
            }
            // Another request may have taken a free id in the meantime.
            return yield* cluster.put(groupIndex, key, document, group.id == null ? "absent" : undefined)
          })
          const query = {
            bool: { filter: [{ term: { tenant_id: tenantId } }], must_not: [{ term: { isDeleted: true } }] }
          }
          const addition = { tenantId, index: groupIndex, ids: [key], query, max: maxGroups }
          const isStored = yield* addWithin(cluster, addition, add)
          if (isStored === undefined) return yield* refuseGroup
          if (isStored) return toGroup(document)
        }
      }),
      list: (tenantId) =>
        Effect.suspend(() =>
          Effect.map(groupsOf(keyed.now.cluster, tenantId), (groups) => groups.filter(isThere).map(toGroup))
        ),
      find: Effect.fnUntraced(function* (tenantId, id) {
        return toGroup(yield* requireGroup(keyed.now.cluster, tenantId, id))
      }),
      update: Effect.fnUntraced(function* (tenantId, id, change) {
        const changed = keyed.now.cluster.update(groupIndex, idOfTenant(tenantId, id), (group) =>
          isThere(group) ? documentOf(changeGroup(toGroup(group), change), tenantId) : undefined
        )
        return toGroup(yield* orNotFound(changed))
      }),
      delete: Effect.fnUntraced(function* (tenantId, id) {
        const { cluster } = keyed.now
        const deletedAt = DateTime.formatIso(yield* DateTime.now)
        const deleted = cluster.update(groupIndex, idOfTenant(tenantId, id), (group) =>
          isThere(group) ? { ...group, isDeleted: true, deletedAt } : undefined
        )
        yield* removeMembers(cluster, yield* orNotFound(deleted))
      })
    })
  })
)

/** The groups of a tenant and those that are being deleted, in the order of their ids. */
const groupsOf = (cluster: Cluster["Service"], tenantId: number) =>
  Effect.map(cluster.all(groupIndex, { query: { term: { tenant_id: tenantId } }, sort: [{ id: "asc" }] }), (groups) =>
    groups.map(({ document }) => document)
  )

/** An id that no group has. An earlier version assigned ids without the counter. */
const freeId = Effect.fnUntraced(function* (cluster: Cluster["Service"], tenantId: number) {
  const counter = groupCounter(tenantId)
  const groups = yield* groupsOf(cluster, tenantId)
  const last = groups.findLast(({ id }) => isCounted(id))?.id ?? 0
  for (;;) {
    const id = yield* cluster.nextNumber(counter)
    if (id > last) return id
    yield* cluster.passNumber(counter, last)
  }
})

/** Fails with `NotFound` if the tenant has no such group. */
export const requireGroup = Effect.fnUntraced(function* (cluster: Cluster["Service"], tenantId: number, id: number) {
  const group = (yield* cluster.get(groupIndex, idOfTenant(tenantId, id)))?.document
  return isThere(group) ? group : yield* Effect.fail(new NotFound())
})

/** The groups that exist and are not deleted, by the ids of their documents. */
export const readGroups = (cluster: Cluster["Service"], ids: ReadonlyArray<string>) =>
  Effect.map(
    cluster.fields(groupIndex, ids, ["isDeleted"], decodeIsDeleted),
    (groups) => new Set([...groups].flatMap(([id, { isDeleted = false }]) => (isDeleted ? [] : [id])))
  )

/** False for a group that is missing or deleted. */
const isThere = (group: GroupDocument | undefined): group is GroupDocument =>
  group !== undefined && group.isDeleted !== true

const toGroup = ({ feed_id, feed_owner_id, id, name, tenant_id, urn }: GroupDocument): IdentifierGroup => ({
  id,
  tenant_id,
  feed_id,
  feed_owner_id,
  name,
  urn
})

const documentOf = (group: IdentifierGroup, tenant_id: number): GroupDocument => ({ ...group, tenant_id })

const removeMembers = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  { id, tenant_id: tenantId }: GroupDocument
) {
  const members = yield* cluster.all(identifierIndex, {
    query: { bool: { filter: [{ term: { tenantId } }, { term: { groupId: id } }] } },
    sort: [{ id: "asc" }]
  })
  yield* attemptAll(
    members,
    (member) =>
      cluster.update(identifierIndex, member.id, (identifier) =>
        identifier?.groupId === id ? { ...identifier, groupId: null } : undefined
      ),
    { concurrency: 8 }
  )
})

/**
 * Removes identifiers that the deletion of their group left behind, or that a concurrent request added to it. The group
 * itself is kept until all such requests have ended, so that none of them finds a new group with the same id.
 */
const completeDeletions = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const overUntil = yield* requestsOverUntil
  const deleted = yield* cluster.all(groupIndex, {
    query: { term: { isDeleted: true } },
    sort: [{ tenant_id: "asc" }, { id: "asc" }]
  })
  yield* attemptAll(
    deleted,
    Effect.fnUntraced(function* ({ id }) {
      // A request may have created the group again.
      const stored = yield* cluster.get(groupIndex, id)
      if (stored?.document.isDeleted !== true) return
      yield* removeMembers(cluster, stored.document)
      if ((stored.document.deletedAt ?? "") >= overUntil) return
      yield* cluster.write([{ index: groupIndex, id, remove: true, revision: stored.revision }])
    })
  )
})

const GroupDocument = Schema.Struct({
  id: Schema.Int,
  tenant_id: Schema.Int,
  feed_id: Schema.NullOr(Schema.Int),
  feed_owner_id: Schema.NullOr(Schema.Int),
  name: Schema.NullOr(Schema.String),
  urn: Schema.NullOr(Schema.String),
  /** A deleted group is visible only to the removal of its identifiers. */
  isDeleted: Schema.optionalKey(Schema.Boolean),
  /** ISO 8601. */
  deletedAt: Schema.optionalKey(Schema.String)
})
const decodeIsDeleted = Schema.decodeUnknownOption(Schema.Struct({ isDeleted: GroupDocument.fields.isDeleted }))

interface GroupDocument extends Schema.Schema.Type<typeof GroupDocument> {}

export const groupIndex = sealedIndex<GroupDocument>({
  name: "identifier-groups",
  version: 2,
  properties: {
    id: { type: "long" },
    tenant_id: { type: "long" },
    feed_id: { type: "long" },
    feed_owner_id: { type: "long" },
    name: keptOnly,
    urn: keptOnly,
    isDeleted: { type: "boolean" },
    deletedAt: keptOnly
  },
  document: GroupDocument
})

export const groupsTransfer = defineTransfer({
  table: transferredGroups,
  index: groupIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenant_id, document.id), document })
})

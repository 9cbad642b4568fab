import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { IdentifierGroup, NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"

/** Groups of identifiers. Each tenant has ids of its own. */
export class IdentifierGroups extends Context.Service<
  IdentifierGroups,
  {
    /**
     * A group with the id of one of the tenant's groups replaces it. The group belongs to the tenant, whatever the request
     * says. See docs/api.md#create-an-identifier-group.
     */
    create(tenantId: number, group: NewIdentifierGroup): Effect.Effect<IdentifierGroup>
    /** By id. */
    list(tenantId: number): Effect.Effect<ReadonlyArray<IdentifierGroup>>
    get(tenantId: number, id: number): Effect.Effect<IdentifierGroup, NotFound>
    /** Fields that the request leaves out stay. See docs/api.md#change-an-identifier-group. */
    update(tenantId: number, id: number, change: NewIdentifierGroup): Effect.Effect<IdentifierGroup, NotFound>
    /** Its identifiers stay, without a group. */
    delete(tenantId: number, id: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups") {
  static readonly layer = Layer.effect(
    IdentifierGroups,
    Effect.gen(function* () {
      const store = yield* IdentifierGroupStore
      return IdentifierGroups.of({
        create: Effect.fn("IdentifierGroups.create")((tenantId, group) => store.put({ tenantId, group })),
        list: Effect.fn("IdentifierGroups.list")((tenantId) => store.list(tenantId)),
        get: Effect.fn("IdentifierGroups.get")((tenantId, id) => store.find(tenantId, id)),
        update: Effect.fn("IdentifierGroups.update")((tenantId, id, change) => store.update({ tenantId, id, change })),
        delete: Effect.fn("IdentifierGroups.delete")((tenantId, id) => store.delete(tenantId, id))
      })
    })
  )
}

/** Where groups of identifiers are stored, completed by {@link completeGroup}. Each engine implements it. */
export class IdentifierGroupStore extends Context.Service<
  IdentifierGroupStore,
  {
    /** Assigns a free id if the group has none. */
    put(group: GroupOfTenant): Effect.Effect<IdentifierGroup>
    list(tenantId: number): Effect.Effect<ReadonlyArray<IdentifierGroup>>
    find(tenantId: number, id: number): Effect.Effect<IdentifierGroup, NotFound>
    update(change: GroupChange): Effect.Effect<IdentifierGroup, NotFound>
    delete(tenantId: number, id: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups/IdentifierGroupStore") {}

export interface GroupOfTenant {
  readonly tenantId: number
  readonly group: NewIdentifierGroup
}

export interface GroupChange {
  readonly tenantId: number
  readonly id: number
  readonly change: NewIdentifierGroup
}

/** The id and the tenant of a group never change. */
export const changeGroup = (
  group: IdentifierGroup,
  { feed_id, feed_owner_id, name, urn }: NewIdentifierGroup
): IdentifierGroup => ({
  ...group,
  feed_id: feed_id ?? group.feed_id,
  feed_owner_id: feed_owner_id ?? group.feed_owner_id,
  name: name ?? group.name,
  urn: urn ?? group.urn
})

/** Unless the request says otherwise, a group is a feed of its own, which the tenant owns. */
export const completeGroup = (id: number, { group, tenantId }: GroupOfTenant): IdentifierGroup => ({
  id,
  tenant_id: tenantId,
  feed_id: group.feed_id ?? id,
  feed_owner_id: group.feed_owner_id ?? tenantId,
  name: group.name ?? "",
  urn: group.urn ?? `urn:threat-exposure:identifier-group:${id}`
})

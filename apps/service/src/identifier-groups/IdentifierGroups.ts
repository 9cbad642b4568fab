import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups") {
  static readonly layer = Layer.effect(
    IdentifierGroups,
    Effect.gen(function* () {
      const store = yield* IdentifierGroupStore
      return IdentifierGroups.of({
        create: Effect.fn("IdentifierGroups.create")((tenantId, group) => store.put({ tenantId, group }))
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
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroups/IdentifierGroupStore") {}

export interface GroupOfTenant {
  readonly tenantId: number
  readonly group: NewIdentifierGroup
}

/** Unless the request says otherwise, a group is a feed of its own, which the tenant owns. */
export const completeGroup = (id: number, { group, tenantId }: GroupOfTenant): IdentifierGroup => ({
  id,
  tenant_id: tenantId,
  feed_id: group.feed_id ?? id,
  feed_owner_id: group.feed_owner_id ?? tenantId,
  name: group.name ?? "",
  urn: group.urn ?? `urn:threat-exposure:identifier-group:${id}`
})

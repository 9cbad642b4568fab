import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type NotFound, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import type { IdentifierGroup, NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"

/** Groups of identifiers, completed by {@link completeGroup}. Each tenant has ids of its own. Each engine implements it. */
export class IdentifierGroupStore extends Context.Service<
  IdentifierGroupStore,
  {
    /**
     * A group with the id of one of the tenant's groups replaces it; a group without an id gets one that no group of the
     * tenant has had. The group belongs to the tenant, whatever the request says. Refused if the tenant has
     * {@link maxGroups}. See docs/api.md#create-an-identifier-group.
     */
    put(group: GroupOfTenant): Effect.Effect<IdentifierGroup, ValidationFailed>
    /** By id. */
    list(tenantId: number): Effect.Effect<ReadonlyArray<IdentifierGroup>>
    find(tenantId: number, id: number): Effect.Effect<IdentifierGroup, NotFound>
    /** Fields that the request leaves out stay. See docs/api.md#change-an-identifier-group. */
    update(change: GroupChange): Effect.Effect<IdentifierGroup, NotFound>
    /** Its identifiers stay, without a group. */
    delete(tenantId: number, id: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroupStore") {}

/** The counter of the ids that a tenant's groups get. */
export const groupCounter = (tenantId: number): string => `groups:${tenantId}`

/** The largest id in a request that moves the counter: a request may name any integer, and the counter must not run out. */
export const maxCountedId = 2 ** 32 - 1

/** Whether an id that a request names moves the counter. */
export const isCounted = (id: number): boolean => id >= 1 && id <= maxCountedId

/** The maximum of a tenant: a listing has no pages. */
export const maxGroups = 1_000

export const refuseGroup = Effect.fail(
  new ValidationFailed({
    detail: [{ loc: ["body", "id"], msg: `A tenant should have at most ${maxGroups} groups`, type: "too_long" }]
  })
)

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

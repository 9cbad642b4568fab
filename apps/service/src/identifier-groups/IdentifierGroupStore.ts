import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type NotFound, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import type { IdentifierGroup, NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import type { OperationHandlers } from "../requests/OperationHandlers.ts"

export const identifierGroupHandlers = Effect.gen(function* () {
  const store = yield* IdentifierGroupStore
  return {
    create: ({ payload }, { tenantId }) =>
      Effect.map(store.put(tenantId, payload), (assets_group) => ({ assets_group })),
    list: (_, { tenantId }) => Effect.map(store.list(tenantId), (assets_groups) => ({ assets_groups })),
    get: ({ params }, { tenantId }) =>
      Effect.map(store.find(tenantId, params.group_id), (assets_group) => ({ assets_group })),
    update: ({ params, payload }, { tenantId }) =>
      Effect.map(store.update(tenantId, params.group_id, payload), (assets_group) => ({ assets_group })),
    delete: ({ params }, { tenantId }) => store.delete(tenantId, params.group_id)
  } satisfies OperationHandlers["identifierGroups"]
})

/** Each tenant has its own ids. */
export class IdentifierGroupStore extends Context.Service<
  IdentifierGroupStore,
  {
    /**
     * Replaces a group of the tenant with the same id. A group without an id gets one that no group of the tenant has
     * had. Fails if the tenant has {@link maxGroups}.
     */
    put(tenantId: number, group: NewIdentifierGroup): Effect.Effect<IdentifierGroup, ValidationFailed>
    /** In the order of their ids. */
    list(tenantId: number): Effect.Effect<ReadonlyArray<IdentifierGroup>>
    find(tenantId: number, id: number): Effect.Effect<IdentifierGroup, NotFound>
    /** Fields that are absent in the request stay unchanged. See docs/api.md#change-an-identifier-group. */
    update(tenantId: number, id: number, change: NewIdentifierGroup): Effect.Effect<IdentifierGroup, NotFound>
    /** The identifiers of the group are kept, without a group. */
    delete(tenantId: number, id: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/identifier-groups/IdentifierGroupStore") {}

export const groupCounter = (tenantId: number): string => `groups:${tenantId}`

/** Requests may name any integer, and larger ones would exhaust the counter. */
export const maxCountedId = 2 ** 32 - 1

export const isCounted = (id: number): boolean => id >= 1 && id <= maxCountedId

/** Maximum number of groups per tenant, because a listing has no pages. */
export const maxGroups = 1_000

export const refuseGroup = Effect.fail(
  new ValidationFailed({
    detail: [{ loc: ["body", "id"], msg: `A tenant should have at most ${maxGroups} groups`, type: "too_long" }]
  })
)

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

/** Fills in what the request leaves out: by default, a group is its own feed, and the tenant owns it. */
export const completeGroup = (tenantId: number, id: number, group: NewIdentifierGroup): IdentifierGroup => ({
  id,
  tenant_id: tenantId,
  feed_id: group.feed_id ?? id,
  feed_owner_id: group.feed_owner_id ?? tenantId,
  name: group.name ?? "",
  urn: group.urn ?? `urn:threat-exposure:identifier-group:${id}`
})

import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import type { Tenant, TenantMember, TenantUser } from "@threat-exposure/core/domain/Tenant"

/** The users of each tenant. */
export class Tenants extends Context.Service<
  Tenants,
  {
    /**
     * Adds users. An existing user of the tenant gets the new role. A caller can only see its own tenant. See
     * docs/api.md#add-users-to-a-tenant.
     */
    addUsers(callersTenant: number, tenantId: number, users: ReadonlyArray<TenantUser>): Effect.Effect<void, NotFound>
    /** The tenant of the caller's key: each key belongs to a single tenant. This service does not know its name. */
    mine(callersTenant: number): Effect.Effect<ReadonlyArray<Tenant>>
    /** In the order of their ids. */
    users(callersTenant: number, tenantId: number): Effect.Effect<ReadonlyArray<TenantMember>, NotFound>
    removeUser(callersTenant: number, tenantId: number, userId: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/tenants/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.gen(function* () {
      const store = yield* TenantStore
      return Tenants.of({
        addUsers: Effect.fn("Tenants.addUsers")(function* (callersTenant, tenantId, users) {
          if (tenantId !== callersTenant) return yield* Effect.fail(new NotFound())
          const addedAt = DateTime.formatIso(yield* DateTime.now)
          const members = users.map(({ is_readonly, role = "viewer", user_id }) => ({
            userId: user_id,
            isReadonly: is_readonly ?? role === "viewer",
            role
          }))
          yield* store.putMembers({ tenantId, members, addedAt })
        }),
        mine: Effect.fn("Tenants.mine")((callersTenant) => Effect.succeed([{ id: callersTenant, name: null }])),
        users: Effect.fn("Tenants.users")(function* (callersTenant, tenantId) {
          if (tenantId !== callersTenant) return yield* Effect.fail(new NotFound())
          const members = yield* store.members(tenantId)
          return members.map(({ isReadonly, role, userId }) => ({ user_id: userId, is_readonly: isReadonly, role }))
        }),
        removeUser: Effect.fn("Tenants.removeUser")(function* (callersTenant, tenantId, userId) {
          if (tenantId !== callersTenant || !(yield* store.removeMember(tenantId, userId)))
            return yield* Effect.fail(new NotFound())
        })
      })
    })
  )
}

/** Stores the users of tenants. Each engine implements it. */
export class TenantStore extends Context.Service<
  TenantStore,
  {
    /** Adds users. Replaces existing ones, but keeps the time at which they were added. */
    putMembers(added: AddedMembers): Effect.Effect<void>
    /** In the order of their ids. */
    members(tenantId: number): Effect.Effect<ReadonlyArray<Member>>
    /** Returns false if the user is not a member. */
    removeMember(tenantId: number, userId: number): Effect.Effect<boolean>
  }
>()("@threat-exposure/service/tenants/Tenants/TenantStore") {}

export interface AddedMembers {
  readonly tenantId: number
  readonly members: ReadonlyArray<Member>
  /** ISO 8601. */
  readonly addedAt: string
}

export interface Member {
  readonly userId: number
  readonly isReadonly: boolean
  readonly role: string
}

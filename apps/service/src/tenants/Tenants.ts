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
     * A user who belongs to the tenant already gets the new role. For a caller, only its own tenant exists. See
     * docs/api.md#add-users-to-a-tenant.
     */
    addUsers(callersTenant: number, tenantId: number, users: ReadonlyArray<TenantUser>): Effect.Effect<void, NotFound>
    /** A key belongs to one tenant, whose name this service does not know. */
    mine(callersTenant: number): Effect.Effect<ReadonlyArray<Tenant>>
    /** By id. */
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

/** Where the users of tenants are stored. Each engine implements it. */
export class TenantStore extends Context.Service<
  TenantStore,
  {
    /** Adds users; an existing one is replaced, except the time of being added. */
    putMembers(added: AddedMembers): Effect.Effect<void>
    /** By id. */
    members(tenantId: number): Effect.Effect<ReadonlyArray<Member>>
    /** False if the user is not a member. */
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

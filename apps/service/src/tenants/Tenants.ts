import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { makeValidationFailed } from "../ExpectedFailure.ts"
import type { OperationHandlers } from "../requests/OperationHandlers.ts"

/** The users of each tenant. A caller only sees the tenant of its key. */
export const tenantHandlers = Effect.gen(function* () {
  const store = yield* TenantStore
  return {
    addUsers: Effect.fn("Tenants.addUsers")(function* ({ params, payload }, { tenantId }) {
      if (params.tenant_id !== tenantId) return yield* Effect.fail(new NotFound())
      const addedAt = DateTime.formatIso(yield* DateTime.now)
      const members = payload.users.map(({ is_readonly, role = "viewer", user_id }) => ({
        userId: user_id,
        isReadonly: is_readonly ?? role === "viewer",
        role
      }))
      if (!(yield* store.putMembers({ tenantId, members, addedAt })))
        return yield* Effect.fail(makeValidationFailed([tooMany]))
    }),

    // This service does not know the name of a tenant.
    mine: Effect.fn("Tenants.mine")((_, { tenantId }) => Effect.succeed({ tenants: [{ id: tenantId, name: null }] })),

    users: Effect.fn("Tenants.users")(function* ({ params }, { tenantId }) {
      if (params.tenant_id !== tenantId) return yield* Effect.fail(new NotFound())
      const members = yield* store.members(tenantId)
      const users = members.map(({ isReadonly, role, userId }) => ({
        user_id: userId,
        is_readonly: isReadonly,
        role
      }))
      return { users }
    }),

    removeUser: Effect.fn("Tenants.removeUser")(function* ({ params }, { tenantId }) {
      if (params.tenant_id !== tenantId || !(yield* store.removeMember(tenantId, params.user_id)))
        return yield* Effect.fail(new NotFound())
    })
  } satisfies OperationHandlers["tenants"]
})

/** A listing has no pages. */
export const maxMembers = 10_000

const tooMany = { loc: ["body", "users"], msg: `A tenant should have at most ${maxMembers} users`, type: "too_long" }

/** Stores the users of tenants. Each engine implements it. */
export class TenantStore extends Context.Service<
  TenantStore,
  {
    /**
     * Adds users. Replaces existing ones, but keeps the time at which they were added. Returns false, and changes nothing,
     * if the tenant would have more than {@link maxMembers}.
     */
    putMembers(added: AddedMembers): Effect.Effect<boolean>
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

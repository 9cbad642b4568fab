import { assert, it } from "@effect/vitest"
import { maxMembers } from "@threat-exposure/service/tenants/Tenants"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { serviceOver, ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("Tenants", ({ store, stores }) => {
  it.live("contain each user once, and are accessible only with their own keys", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const added = yield* call(1, "POST", "/v2/tenants/1/users", {
        users: [{ user_id: 7, is_readonly: false, role: "viewer" }, { user_id: 8 }]
      })
      assert.strictEqual(added.status, 200)
      assert.isUndefined(added.body)
      yield* call(1, "POST", "/v2/tenants/1/users", { users: [{ user_id: 7, is_readonly: false, role: "editor" }] })
      assert.deepStrictEqual((yield* call(1, "GET", "/v2/tenants/1/users")).body, {
        users: [
          { user_id: 7, is_readonly: false, role: "editor" },
          { user_id: 8, is_readonly: true, role: "viewer" }
        ]
      })
      assert.deepStrictEqual((yield* call(1, "GET", "/v2/me/tenants")).body, { tenants: [{ id: 1, name: null }] })
      for (const [method, path] of [
        ["GET", "/v2/tenants/2/users"],
        ["DELETE", "/v2/tenants/2/users/7"],
        ["DELETE", "/v2/tenants/1/users/9"]
      ] as const) {
        assert.strictEqual((yield* call(1, method, path)).status, 404, path)
      }
      const removed = yield* call(1, "DELETE", "/v2/tenants/1/users/7")
      assert.deepStrictEqual([removed.status, removed.body], [200, undefined])
      assert.strictEqual((yield* call(1, "DELETE", "/v2/tenants/1/users/7")).status, 404)
      assert.deepStrictEqual((yield* call(1, "GET", "/v2/tenants/1/users")).body.users, [
        { user_id: 8, is_readonly: true, role: "viewer" }
      ])
      assert.deepStrictEqual((yield* call(2, "GET", "/v2/tenants/2/users")).body, { users: [] })
      const other = yield* call(1, "POST", "/v2/tenants/2/users", { users: [] })
      assert.strictEqual(other.status, 404)
      assert.strictEqual(other.body.code, "NOT_FOUND")
      for (const user of [{}, { user_id: 7, role: "x".repeat(1_001) }]) {
        assert.strictEqual((yield* call(1, "POST", "/v2/tenants/1/users", { users: [user] })).status, 422)
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("have a limited number of users, because a listing has no pages", () =>
    Effect.gen(function* () {
      const { layer } = yield* store
      const [one, other] = yield* Effect.all([serviceOver(layer), serviceOver(layer)])
      const { call } = one
      const addTo = ({ call }: typeof one, ...users: ReadonlyArray<number>) =>
        Effect.map(
          call(1, "POST", "/v2/tenants/1/users", { users: users.map((user_id) => ({ user_id })) }),
          ({ status }) => status
        )
      const add = (...users: ReadonlyArray<number>) => addTo(one, ...users)
      const half = Array.from({ length: maxMembers / 2 }, (_, at) => at + 1)
      assert.strictEqual(yield* add(...half), 200)
      assert.strictEqual(yield* add(...half.map((id) => maxMembers + id)), 200)
      // Present users may be changed.
      assert.deepStrictEqual([yield* add(1, 2, 2), yield* add(2, maxMembers)], [200, 422])
      assert.strictEqual((yield* call(1, "DELETE", "/v2/tenants/1/users/1")).status, 200)
      const both = yield* Effect.all([add(maxMembers), addTo(other, maxMembers - 1)], { concurrency: 2 })
      assert.sameMembers(both, [200, 422])
      assert.lengthOf((yield* call(1, "GET", "/v2/tenants/1/users")).body.users, maxMembers)
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

describe("Tenants", () => {
  it.effect("contain each user once, and are accessible only with their own keys", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      const added = yield* call(1, "POST", "/v2/tenants/1/users", {
        users: [{ user_id: 7, is_readonly: false, role: "viewer" }, { user_id: 8 }]
      })
      assert.strictEqual(added.status, 200)
      assert.isUndefined(added.body)
      yield* call(1, "POST", "/v2/tenants/1/users", { users: [{ user_id: 7, is_readonly: false, role: "editor" }] })
      assert.deepStrictEqual(
        database.connection
          .prepare("SELECT tenant_id, user_id, is_readonly, role FROM tenant_users")
          .all()
          .map((row) => Object.values(row)),
        [
          [1, 7, 0, "editor"],
          [1, 8, 1, "viewer"]
        ]
      )
      const other = yield* call(1, "POST", "/v2/tenants/2/users", { users: [] })
      assert.strictEqual(other.status, 404)
      assert.strictEqual(other.body.code, "NOT_FOUND")
      assert.strictEqual((yield* call(1, "POST", "/v2/tenants/1/users", { users: [{}] })).status, 422)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("IdentifierGroups", ({ stores }) => {
  it.live("belong to the tenant of the key, with ids of their own", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const create = (tenantId: number, body: unknown) =>
        Effect.map(call(tenantId, "POST", "/v2/assets/groups/", body), ({ body }) => body.assets_group)
      const given = { id: 12, tenant_id: 99, feed_id: 3, feed_owner_id: 4, name: "Shop", urn: "urn:given" }
      assert.deepStrictEqual(yield* create(1, given), { ...given, tenant_id: 1 })
      assert.deepStrictEqual(yield* create(1, { name: "Bank" }), {
        id: 13,
        tenant_id: 1,
        feed_id: 13,
        feed_owner_id: 1,
        name: "Bank",
        urn: "urn:threat-exposure:identifier-group:13"
      })
      assert.strictEqual((yield* create(2, { name: "Theirs" })).id, 1)
      assert.strictEqual((yield* create(2, {})).name, "")
      assert.strictEqual((yield* create(1, { id: 12, name: "Shops" })).name, "Shops")
      yield* create(3, { id: Number.MAX_SAFE_INTEGER })
      assert.deepStrictEqual([(yield* create(3, {})).id, (yield* create(3, {})).id], [1, 2])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

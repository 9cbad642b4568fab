import { assert, describe, it } from "@effect/vitest"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

describe("Reports", () => {
  it.effect("are stored for the tenant", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      const report = {
        title: "Quarter",
        author: "A. Author",
        elements: [{ id: 1, position: 0, enabled: true, sort_by: "custom", time_interval: "P90D" }],
        audience: "technical"
      }
      const { body, status } = yield* call(3, "POST", "/v2/reporting/reports", report)
      assert.strictEqual(status, 200)
      assert.isUndefined(body)
      const row = database.connection.prepare("SELECT tenant_id, report FROM reports").get()
      assert.strictEqual(row?.["tenant_id"], 3)
      assert.deepStrictEqual(JSON.parse(String(row?.["report"])), report)
      assert.strictEqual((yield* call(3, "POST", "/v2/reporting/reports", { elements: [{ id: "one" }] })).status, 422)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { questionContext } from "@threat-exposure/service/intel/Intel"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

describe("Intel", () => {
  it.effect("stores a question encrypted, and returns an id", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      const question = "Who sells access to us?"
      const { body, status } = yield* call(1, "POST", "/v4/threat_flow/intel/requests", {
        question,
        tone: "analytical"
      })
      assert.strictEqual(status, 200)
      assert.match(body.request_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const row = database.connection.prepare("SELECT * FROM intel_requests WHERE request_id = ?").get(body.request_id)
      const encrypted = row?.["question"]
      assert.instanceOf(encrypted, Uint8Array)
      assert.strictEqual(database.vault.decrypt(encrypted, questionContext(body.request_id)), question)
      assert.strictEqual((yield* call(1, "POST", "/v4/threat_flow/intel/requests", {})).status, 422)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

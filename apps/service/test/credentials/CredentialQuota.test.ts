import { assert, describe, it } from "@effect/vitest"
import { credentialLoader, prepareCredentials } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import { publishWhole } from "@threat-exposure/service/testing/PublishedRecords"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

const line = (id: number, email: string) =>
  JSON.stringify({ id, identity_name: email, imported_at: "2026-01-01T00:00:00Z", hash: "correct-horse" })

describe("Credentials and their quota", () => {
  it.effect("charges no quota for a page that could not be read", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      const text = line(1, "whole@example.com")
      const { batch } = prepareCredentials.run(database, {
        text: Buffer.from(text),
        firstNumber: 1,
        format: { type: "lines" } as const
      })
      publishWhole(database, credentialLoader.store, [batch], "2026-02-01T00:00:00Z")
      const search = (email: string, size: number) =>
        call(1, "POST", "/v4/credentials/global/_search", { query: { type: "email", email }, size })
      const before = Number((yield* search("whole@example.com", 10)).headers.get("x-global-searches-remaining"))
      database.connection.run("UPDATE credential_term_runs SET run = run + 99")
      for (const size of [10, 1_000]) {
        const failed = yield* search("broken@example.com", size)
        assert.strictEqual(failed.status, 503)
        assert.notInclude(JSON.stringify(failed.body), "credential_term_runs")
      }
      database.connection.run("UPDATE credential_term_runs SET run = run - 99")
      const after = yield* search("nobody@example.com", 10)
      assert.strictEqual(Number(after.headers.get("x-global-searches-remaining")), before - 1)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

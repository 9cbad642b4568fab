import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { questionContext } from "@threat-exposure/service/intel/Intel"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { call, folder, run } from "../commands/Command.ts"
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

describeOnEngines("Intel", ({ store }) => {
  layer(TestService.layer({ store }), { excludeTestServices: true })((it) => {
    it.effect("is processing until the operator answers, for the tenant that asked alone", () =>
      Effect.gen(function* () {
        const service = yield* TestService
        const there = yield* folder
        const other = yield* service.key({ tenantId: 2 })
        const ask = (question: string) =>
          Effect.map(
            call(service.url, service.token, "POST", "/v4/threat_flow/intel/requests", { question }),
            ({ text }): string => JSON.parse(text).request_id
          )
        const get = (id: string, token = service.token) =>
          Effect.map(call(service.url, token, "GET", `/v4/threat_flow/reports/requests/${id}`), ({ status, text }) => ({
            status,
            body: JSON.parse(text)
          }))
        const operator = (...args: ReadonlyArray<string>) => run(there, "intel", ...args, ...service.store.flags)

        const first = yield* ask("Who sells access?")
        const second = yield* ask("Who buys it?")
        assert.deepStrictEqual((yield* get(first)).body, { status: "processing", report: null })
        assert.strictEqual((yield* get(first, other)).status, 404)
        assert.strictEqual((yield* get("none")).status, 404)

        const file = (name: string, content: string) => {
          writeFileSync(join(there, name), content)
          return name
        }
        const markdown = file("a.md", "# Who sells it #\n\nTwo groups.\n\n## Details\n\nNone.\n")
        assert.include((yield* operator("answer", first, markdown)).out, `The question ${first} is answered.`)
        const { report, status } = (yield* get(first)).body
        assert.strictEqual(status, "completed")
        assert.match(report.created_at, /^\d{4}-/u)
        assert.deepStrictEqual(
          { ...report, created_at: "" },
          {
            id: first,
            title: "Who sells it",
            subtitle: null,
            summary: null,
            content: "Two groups.\n\n## Details\n\nNone.",
            tags: [],
            highlights: [],
            related_activity_uids: [],
            created_at: ""
          }
        )
        const json = { id: 7, title: "New", tags: ["a"], related_activity_uids: ["paste/a/1"] }
        assert.strictEqual((yield* operator("answer", first, file("a.json", JSON.stringify(json)))).code, 0)
        assert.deepInclude((yield* get(first)).body.report, json)
        assert.strictEqual((yield* get(first, other)).status, 404)

        const { out } = yield* operator("list")
        assert.match(out, new RegExp(`${first}  tenant 1  \\S+  completed  Who sells access\\?\\n`, "u"))
        assert.match(out, new RegExp(`${second}  tenant 1  \\S+  processing  Who buys it\\?\\n`, "u"))

        for (const [args, message] of [
          [["answer", "none", "a.md"], "There is no question with the id none"],
          [["answer", second, "missing.md"], "missing.md is no report: no such file"],
          [["answer", second, file("b.md", "no heading")], "needs a heading"],
          [["answer", second, file("b.json", '{"title":')], "it is not JSON"],
          [["answer", second, file("c.json", '{"tags":[1]}')], "tags.0"]
        ] as const) {
          const { code, err } = yield* operator(...args)
          assert.strictEqual(code, 1)
          assert.include(err, message)
          assert.include(err, "Nothing was changed.")
        }
        assert.strictEqual((yield* get(second)).body.status, "processing")
      }).pipe(Effect.scoped)
    )
  })
})

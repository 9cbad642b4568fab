import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@threat-exposure/service/sqlite/Connection"
import { startService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { ended, folder, lastLine, main, output, run, serving, timeout } from "./Command.ts"

/** Rows of a tenant by table, whatever tables there are. */
const rowsOf = (file: string, tenantId: number) => {
  using connection = new Connection(file)
  const tables = connection
    .prepare(
      `SELECT t.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c ON c.name = 'tenant_id'
       WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name`
    )
    .all()
    .map(({ name }) => String(name))
  return new Map(
    tables.map((table) => [
      table,
      Number(connection.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant_id = ?`).get(tenantId)?.["n"])
    ])
  )
}

const matchesIn = (file: string) => {
  using connection = new Connection(file)
  return Number(connection.prepare("SELECT count(*) AS n FROM identifier_events").get()?.["n"])
}

const post = (url: string, token: string, path: string, body: unknown) =>
  fetch(`${url}/svc${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body)
  }).then(({ status }) => status)

/** Two tenants with something in every table, and the sample data of tenant 1. */
const filled = (file: string) =>
  Effect.promise(async () => {
    const service = await startService({ databaseFile: file, sample: true })
    const others = await service.key({ tenantId: 2 })
    for (const [tenantId, token] of [
      [1, service.token],
      [2, others]
    ] as const) {
      await post(service.url, token, "/v2/assets/", { name: "example.com", type: "domain" })
      await post(service.url, token, "/v2/assets/groups/", { name: "ours" })
      await post(service.url, token, "/v2/reporting/reports", {})
      await post(service.url, token, "/v4/threat_flow/intel/requests", { question: "?" })
      await post(service.url, token, `/v2/tenants/${tenantId}/users`, { users: [{ user_id: 7 }] })
      await post(service.url, token, "/v4/events/global/_search", { query: { type: "keyword", keyword: "x" } })
    }
    await service.stop()
    return others
  })

describe("tenants delete", () => {
  it.live(
    "says what it will do, refuses without a confirmation, and leaves nothing of the tenant and all of the others",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        const others = yield* filled(file)
        const before = rowsOf(file, 1)
        const ofOthers = rowsOf(file, 2)
        for (const [table, rows] of before) assert.isAbove(rows, 0, `the test fills ${table}`)
        const matches = matchesIn(file)

        const refused = yield* run(there, "tenants", "delete", "1")
        assert.strictEqual(refused.code, 1)
        assert.match(refused.out, new RegExp(`^Of tenant 1 this deletes .*identifiers: ${before.get("identifiers")}, `))
        assert.match(refused.err, /^error: Nothing was changed: there is no terminal to ask at\. Give --yes to do it$/m)
        assert.deepEqual(rowsOf(file, 1), before)

        const { text, url } = yield* serving(there)
        const token = lastLine(
          (yield* run(there, "keys", "create", "--tenant", "1", "--permission", "write-tenant")).out
        )
        assert.strictEqual(yield* Effect.promise(() => post(url, token, "/v2/reporting/reports", {})), 200)
        const deleted = yield* run(there, "--log", "json", "tenants", "delete", "1", "--yes")
        assert.deepEqual([deleted.code, lastLine(deleted.out)], [0, "Tenant 1 is deleted."], text.err)
        assert.deepInclude(JSON.parse(lastLine(deleted.err)), {
          message: "audit",
          action: "tenants.delete",
          tenant_id: 1
        })
        assert.strictEqual(yield* Effect.promise(() => post(url, token, "/v2/reporting/reports", {})), 401)
        assert.strictEqual(yield* Effect.promise(() => post(url, others, "/v2/reporting/reports", {})), 200)
        for (const [table, rows] of rowsOf(file, 1)) assert.strictEqual(rows, 0, table)
        for (const [table, rows] of ofOthers) assert.isAtLeast(rowsOf(file, 2).get(table) ?? 0, rows, table)
        assert.isBelow(matchesIn(file), matches)
        assert.include((yield* run(there, "tenants", "delete", "1", "--yes")).out, "Tenant 1 has nothing.")
      }).pipe(Effect.scoped),
    timeout
  )

  // util-linux gives a command a terminal of its own.
  it.live.skipIf(!existsSync("/usr/bin/script"))(
    "asks at a terminal, and does nothing unless it is told to",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        yield* run(there, "keys", "create", "--tenant", "1", "--permission", "read-tenant")
        const answered = (answer: string) =>
          Effect.promise(async () => {
            const command = `${process.execPath} ${main} tenants delete 1 --database ${file}`
            const child = spawn("/usr/bin/script", ["-qec", command, "/dev/null"], {
              env: { ...process.env, TERM: "xterm" }
            })
            const text = output(child)
            const ending = ended(child)
            while (!text.out.includes("Go on?") && child.exitCode === null) {
              await new Promise((resolve) => setTimeout(resolve, 20))
            }
            child.stdin.write(answer)
            return { code: await ending, out: text.out }
          })
        const declined = yield* answered("n")
        assert.strictEqual(declined.code, 1)
        assert.include(declined.out, "Nothing was changed: it was not confirmed")
        assert.strictEqual(rowsOf(file, 1).get("keys"), 1)
        const agreed = yield* answered("y")
        assert.strictEqual(agreed.code, 0, agreed.out)
        assert.strictEqual(rowsOf(file, 1).get("keys"), 0)
      }).pipe(Effect.scoped),
    timeout
  )
})

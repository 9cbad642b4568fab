import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { sqliteStore, startService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { createKey, ended, folder, lastLine, main, output, run, serving, timeout } from "./Command.ts"

/** The rows of a tenant by table, for all tables. */
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

/** Creates two tenants with data in every table, and the sample data of tenant 1. */
const fillDatabase = (file: string) =>
  Effect.promise(async () => {
    const service = await startService({ store: Effect.succeed(sqliteStore(file)), sample: true })
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
      const credential_hash = "025e6c3cffe1398427cb7aa91ae81a69f9dbb7e7d8ff4416e623c95bebf555b8"
      const actions = { targets: [{ credential_hash }], action: { type: "ignore" } }
      await post(service.url, token, "/v4/credentials/actions", actions)
      await post(service.url, token, "/v4/events/global/_search", { query: { type: "keyword", keyword: "x" } })
    }
    await service.stop()
    return others
  })

describe("tenants delete", () => {
  it.live(
    "says what it will do, refuses without a confirmation, and deletes everything of the tenant and nothing else",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        const others = yield* fillDatabase(file)
        writeFileSync(join(there, "answer.md"), "# An answer\n")
        for (const [id] of (yield* run(there, "intel", "list")).out.matchAll(/^\S+/gmu)) {
          assert.strictEqual((yield* run(there, "intel", "answer", id, "answer.md")).code, 0)
        }
        const before = rowsOf(file, 1)
        const ofOthers = rowsOf(file, 2)
        for (const [table, rows] of before) assert.isAbove(rows, 0, `the test fills ${table}`)
        const matches = matchesIn(file)

        const refused = yield* run(there, "tenants", "delete", "1")
        assert.strictEqual(refused.code, 1)
        assert.match(refused.out, new RegExp(`^Of tenant 1 this deletes .*identifiers: ${before.get("identifiers")}, `))
        assert.match(
          refused.err,
          /^error: Nothing was changed: there is no terminal to ask on\. Give --yes to confirm$/m
        )
        assert.deepEqual(rowsOf(file, 1), before)

        const { text, url } = yield* serving(there)
        const token = yield* createKey(there, "1", "write-tenant")
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
        assert.include((yield* run(there, "tenants", "delete", "1", "--yes")).out, "Tenant 1 has no data.")
      }).pipe(Effect.scoped),
    timeout
  )

  // `script` of util-linux runs the command in a terminal.
  it.live.skipIf(!existsSync("/usr/bin/script"))(
    "asks at a terminal, and does nothing unless it is told to",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        yield* run(there, "keys", "create", "--tenant", "1", "--permission", "read-tenant")
        const runWithAnswer = (answer: string) =>
          Effect.promise(async () => {
            const command = `${process.execPath} ${main} tenants delete 1 --database ${file}`
            const child = spawn("/usr/bin/script", ["-qec", command, "/dev/null"], {
              env: { ...process.env, TERM: "xterm" }
            })
            const text = output(child)
            const ending = ended(child)
            while (!text.out.includes("Continue?") && child.exitCode === null) {
              await new Promise((resolve) => setTimeout(resolve, 20))
            }
            child.stdin.write(answer)
            return { code: await ending, out: text.out }
          })
        const declined = yield* runWithAnswer("n")
        assert.strictEqual(declined.code, 1)
        assert.include(declined.out, "Nothing was changed: it was not confirmed")
        assert.strictEqual(rowsOf(file, 1).get("keys"), 1)
        const agreed = yield* runWithAnswer("y")
        assert.strictEqual(agreed.code, 0, agreed.out)
        assert.strictEqual(rowsOf(file, 1).get("keys"), 0)
      }).pipe(Effect.scoped),
    timeout
  )
})

const credential = (id: number, imported_at: string, identity_name: string, hash: string) => ({
  id,
  identity_name,
  imported_at,
  hash,
  auth_domains: ["login.example.net"]
})

const paste = (id: number, estimated_created_at: string, content: string) => ({
  event_type: "paste",
  metadata: { uid: `paste/example/${id}`, estimated_created_at, severity: "low" },
  data: { title: `paste ${id}`, content }
})

/** The ids of a whole listing. */
const listIds = async (url: string, token: string, path: string, body: object): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${url}/svc${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ size: 10, ...body })
  })
  const text = await response.text()
  assert.strictEqual(response.status, 200, text)
  return JSON.parse(text).items.map((item: { id?: number; metadata?: { uid: string } }) =>
    String(item.id ?? item.metadata?.uid)
  )
}

describe("credentials delete, events delete", () => {
  it.live(
    "delete by query and by age while the service runs, including the search terms",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        const old = "2020-01-01T00:00:00Z"
        const recent = new Date(Date.now() - 60_000).toISOString()
        const planted = "planted-password-4711"
        const token = yield* Effect.promise(async () => {
          const service = await startService({ store: Effect.succeed(sqliteStore(file)) })
          await service.load("credentials", [
            credential(1, old, "a@example.com", "p1"),
            credential(2, recent, "b@example.com", planted),
            credential(3, recent, "jane.doe@example.org", "p3")
          ])
          const pastes = [paste(1, old, "first words"), paste(2, recent, "second words"), paste(3, recent, "other")]
          await service.load("events", pastes)
          await post(service.url, service.token, "/v2/assets/", { name: "second", type: "keyword" })
          await service.stop()
          return service.token
        })
        const { url } = yield* serving(there)
        const credentials = (query: object) =>
          Effect.promise(() => listIds(url, token, "/v4/credentials/global/_search", { query }))
        const events = (body: object = {}) =>
          Effect.promise(() => listIds(url, token, "/v4/events/global/_search", body))

        for (const [args, said, expected] of [
          [["credentials", "delete"], "Say what to delete", 2],
          [["credentials", "delete", "--older-than", "soon"], "--older-than takes an age", 2],
          [["credentials", "delete", "--query", planted], "--query is not JSON", 2],
          [["credentials", "delete", "--query", `{"type":"${planted}"}`], "--query: type: Input should be", 2],
          [["events", "delete", "--query", '{"type":"query_string","query_string":"("}'], "--query: ", 2],
          [["events", "delete", "--older-than", "1d"], "there is no terminal to ask on", 1]
        ] as const) {
          const { code, err } = yield* run(there, ...args)
          assert.strictEqual(code, expected)
          assert.include(err, said)
          assert.notInclude(err, planted)
        }
        assert.lengthOf(yield* events(), 3)

        const aged = yield* run(there, "credentials", "delete", "--older-than", "90d", "--yes")
        assert.strictEqual(aged.out, "This deletes 1 credential, for all tenants.\ndeleted 1 credential\n")
        assert.deepEqual(yield* credentials({ type: "domain", fqdn: "example.com" }), ["2"])
        const none = yield* run(there, "credentials", "delete", "--older-than", "90d")
        assert.deepEqual([none.code, lastLine(none.out)], [0, "deleted 0 credentials"])

        const secret = yield* Effect.promise(async () => {
          const args = ["credentials", "delete", "--query", "-", "--yes", "--database", file]
          const child = spawn(process.execPath, [main, ...args])
          const text = output(child)
          child.stdin.end(JSON.stringify({ type: "secret", secret: planted }))
          return { code: await ended(child), ...text }
        })
        assert.deepEqual([secret.code, lastLine(secret.out)], [0, "deleted 1 credential"])
        assert.match(secret.err, /info audit action=credentials\.delete user=\S+ rows=1$/m)
        assert.notInclude(secret.err + secret.out, planted)
        for (const query of [
          { type: "secret", secret: planted },
          { type: "email", email: "b@example.com" },
          { type: "domain", fqdn: "example.com" },
          { type: "keyword", keyword: "b" }
        ]) {
          assert.deepEqual(yield* credentials(query), [])
        }
        assert.deepEqual(yield* credentials({ type: "auth_domain", fqdn: "example.net" }), ["3"])

        assert.strictEqual((yield* run(there, "events", "delete", "--older-than", "90d", "--yes")).code, 0)
        assert.deepEqual(yield* events(), ["paste/example/3", "paste/example/2"])
        const words = JSON.stringify({ type: "keyword", keyword: "second" })
        assert.strictEqual((yield* run(there, "events", "delete", "--query", words, "--yes")).code, 0)
        assert.deepEqual(yield* events(), ["paste/example/3"])
        assert.deepEqual(yield* events({ query: JSON.parse(words) }), [])
        assert.strictEqual(matchesIn(file), 0)

        using connection = new Connection(file)
        const rows = (table: string) => Number(connection.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"])
        const everyTerm = yield* run(there, "credentials", "delete", "--older-than", "0m", "--yes")
        assert.strictEqual(everyTerm.code, 0)
        assert.deepEqual([rows("credentials"), rows("credential_terms")], [0, 0])
      }).pipe(Effect.scoped),
    timeout
  )
})

describe("sample delete", () => {
  it.live(
    "deletes what serve --sample loaded, and its keys, and keeps other data",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const file = join(there, "threat-exposure.sqlite")
        const own = yield* Effect.promise(async () => {
          const service = await startService({ store: Effect.succeed(sqliteStore(file)) })
          await service.load("credentials", [credential(1, "2026-01-01T00:00:00Z", "a@example.com", "p1")])
          await service.load("events", [paste(1, "2026-01-01T00:00:00Z", "words")])
          await post(service.url, service.token, "/v2/assets/", { name: "own.example.com", type: "domain" })
          await service.stop()
          return service.token
        })
        const before = rowsOf(file, 1)
        const { child, text, url } = yield* serving(there, "--sample")
        while (!/^token: /m.test(text.out)) yield* Effect.sleep("20 millis")
        const token = /^token: (\S+)$/m.exec(text.out)?.[1] ?? ""
        const severe = { filters: { severity: "info" } }
        const all = () => Effect.promise(() => listIds(url, own, "/v4/events/global/_search", severe))
        assert.lengthOf(yield* all(), 10)
        const example = { query: { type: "domain", fqdn: "example.com" } }
        const listLeaked = () => Effect.promise(() => listIds(url, own, "/v4/credentials/global/_search", example))
        assert.lengthOf(yield* listLeaked(), 10)

        const deleted = yield* run(there, "sample", "delete", "--yes")
        assert.deepEqual([deleted.code, lastLine(deleted.out)], [0, "The sample data is deleted."], deleted.err)
        assert.match(
          deleted.out,
          /^Of the sample data this deletes credentials: \d+, events: [\d,]+, identifiers: 13, groups: 1, policies: 5, reports: 1, /
        )
        assert.deepEqual(yield* all(), ["paste/example/1"])
        assert.deepEqual(yield* listLeaked(), ["1"])
        assert.strictEqual(yield* Effect.promise(() => post(url, token, "/v4/events/global/_search", {})), 401)
        child.kill("SIGTERM")
        yield* Effect.promise(() => ended(child))
        const after = rowsOf(file, 1)
        after.set("quota_use", before.get("quota_use") ?? 0)
        assert.deepEqual(after, before)
        assert.include((yield* run(there, "sample", "delete")).out, "There is no sample data.")
      }).pipe(Effect.scoped),
    timeout
  )
})

/** The exchange of an API key for a token, with the client and without it, over real sockets. */
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { createClient } from "@threat-exposure/core/promise"
import { describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, it } from "vitest"

const run = promisify(execFile)
const main = resolve(import.meta.dirname, "../../apps/service/bin/threat-exposure-service.mjs")

const generate = async (url: string, headers: Record<string, string>, body?: string) => {
  const response = await fetch(`${url}/tokens/generate`, {
    method: "POST",
    headers: { ...headers, ...(body === undefined ? undefined : { "Content-Type": "application/json" }) },
    ...(body === undefined ? undefined : { body })
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const test = async (url: string, token: string) => {
  const response = await fetch(`${url}/tokens/test`, { headers: { Authorization: `Bearer ${token}` } })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describeOnSqlite("tokens", ({ store }) => {
  let service: RunningService
  /** A second service over the same database, without shared memory, that accepts exchanged tokens only. */
  let strict: RunningService

  beforeAll(async () => {
    service = await startService({ store })
    strict = await startService({ store: Effect.succeed(service.store), acceptsKeysAsTokens: false })
    await service.load("credentials", [
      { id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z", hash: "p" }
    ])
  })

  afterAll(async () => {
    await strict.stop()
    await service.stop()
  })

  it("lets a client sign in with an API key, with and without a tenant", async () => {
    for (const { url } of [service, strict]) {
      for (const tenantId of [undefined, 1]) {
        const client = createClient({
          baseUrl: url,
          apiKey: await service.key(),
          ...(tenantId === undefined ? undefined : { tenantId })
        })
        const found: Array<number> = []
        for await (const { id } of client.credentials.search({ query: { type: "email", email: "a@example.com" } })) {
          found.push(id)
        }
        assert.deepEqual(found, [1])
        assert.deepEqual(await client.whoAmI(), {
          tenant_id: 1,
          user_id: null,
          scopes: ["Read Tenant", "Write Tenant", "Write Tenant Admin"]
        })
        assert.deepEqual(await client.request("GET", "/v4/identifier-recommendations/", { query: { size: 1 } }), {
          items: [],
          next: null
        })
      }
    }
  })

  it("returns a token that every service over the database accepts, until its key is revoked", async () => {
    const database = service.store.flags
    const flags = ["--tenant", "3", "--permission", "read-tenant,write-tenant"]
    const { stdout } = await run(process.execPath, [main, "keys", "create", ...flags, ...database])
    const [, id = ""] = /^Key (\d+) /.exec(stdout) ?? []
    const apiKey = stdout.trim().split("\n").at(-1) ?? ""
    const { body, status } = await generate(service.url, { Authorization: apiKey })
    assert.strictEqual(status, 200)
    assert.deepEqual(Object.keys(body), ["token", "refresh_token_exp"])
    assert.isAbove(body.refresh_token_exp, Date.now() / 1_000)
    for (const { url } of [service, strict]) {
      assert.deepEqual(await test(url, body.token), {
        status: 200,
        body: { tenant_id: 3, user_id: null, scopes: ["Read Tenant", "Write Tenant"] }
      })
    }
    // A token is not exchanged for another: it would never expire.
    assert.strictEqual((await generate(service.url, { Authorization: body.token })).status, 401)
    // The key itself is a token unless a flag of the service forbids it.
    assert.deepEqual([(await test(service.url, apiKey)).status, (await test(strict.url, apiKey)).status], [200, 401])

    await run(process.execPath, [main, "keys", "revoke", id, ...database])
    for (const { url } of [service, strict]) assert.strictEqual((await test(url, body.token)).status, 401)
    assert.strictEqual((await generate(service.url, { Authorization: apiKey })).status, 401)
  })

  it("refuses what is not a key, another tenant, and a body that cannot be read", async () => {
    const apiKey = await service.key()
    for (const headers of [{}, { Authorization: "" }, { Authorization: "nonsense" }, { Authorization: "tt_AAAA" }]) {
      const { body, status } = await generate(service.url, headers, "{")
      assert.deepEqual([status, body.error.code], [401, "UNAUTHORIZED"])
    }
    const other = await generate(service.url, { Authorization: apiKey }, '{"tenant_id":2}')
    assert.deepEqual([other.status, other.body.error.code], [403, "FORBIDDEN"])
    assert.include(other.body.error.message, "belongs to another tenant")
    for (const [body, loc] of [
      ["{", ["body"]],
      ['{"tenant_id":"one"}', ["body", "tenant_id"]],
      ["[".repeat(100_000), ["body"]]
    ] as const) {
      const answer = await generate(service.url, { Authorization: apiKey }, body)
      assert.deepEqual([answer.status, answer.body.detail[0].loc], [422, loc])
    }
    assert.strictEqual((await generate(service.url, { Authorization: apiKey }, "{}")).status, 200)
    assert.strictEqual((await test(service.url, "nonsense")).status, 401)
  })
})

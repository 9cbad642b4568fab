/** The answers of a service while its cluster cannot do all of its work. */
import { createServer, request } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import type { ClusterOptions } from "@threat-exposure/service/ClusterEngine"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { startService } from "@threat-exposure/service/testing/TestService"
import { Effect, Exit, Layer, Scope } from "effect"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a service whose cluster has a fault", () => {
  const { url } = "missing" in node ? { url: "" } : node
  const scope = Scope.makeUnsafe()
  let lent: ClusterOptions
  beforeAll(async () => {
    lent = await Effect.runPromise(Scope.provide(emptyCluster(url), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const cluster = async (method: string, path: string, body?: unknown): Promise<any> => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${url}/${path}`, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) })
    })
    return response.json()
  }

  it("answers 503 with Retry-After, and completes each write or does nothing", async () => {
    // Holds requests back, as a node does that is frozen.
    const held: Array<() => void> = []
    let isFrozen = false
    const proxy = createServer((incoming, outgoing) => {
      const pass = () => {
        const { headers, method, url: path } = incoming
        const passed = request(`${url}${path}`, { headers, method: method ?? "GET" }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        })
        incoming.pipe(passed)
      }
      if (isFrozen) held.push(pass)
      else pass()
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    const address = proxy.address()
    const urls = [`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`]
    const layer = Layer.orDie(openSearch({ ...lent, urls, requestTimeLimit: 15_000 }))
    const service = await startService({ store: Effect.succeed({ layer, flags: [] }) })
    const ask = async (path: string, body: unknown) => {
      const response = await fetch(`${service.url}/svc${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const { status } = response
      return { status, retryAfter: Number(response.headers.get("retry-after")), answer: await response.text() }
    }
    const isUnavailable = ({ answer, retryAfter, status }: Awaited<ReturnType<typeof ask>>) => {
      assert.strictEqual(status, 503, answer)
      assert.include(answer, "UNAVAILABLE")
      assert.isTrue(retryAfter > 0 && retryAfter <= 60)
    }
    const credentials = { query: { type: "domain", fqdn: "example.com" } }
    const events = { query: { type: "keyword", keyword: "harbour" } }
    const paste = (uid: string) => ({
      event_type: "paste",
      metadata: { uid, severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
      data: { title: "harbour", content: "harbour" }
    })
    try {
      await service.load("events", [paste("a"), paste("b")])

      // As OpenSearch does itself when the disk is full.
      const blocked = (isBlocked: boolean) =>
        cluster("PUT", `${lent.prefix}-*/_settings`, { "index.blocks.read_only_allow_delete": isBlocked || null })
      await blocked(true)
      isUnavailable(await ask("/v2/assets/", { name: "harbour", type: "keyword" }))
      const load = service.load("events", [paste("c")])
      assert.include(await load.then(String, String), "read-only")
      assert.strictEqual((await ask("/v4/credentials/global/_search", credentials)).status, 200)
      assert.strictEqual((await ask("/v4/events/global/_search", events)).status, 200)
      await blocked(false)
      const count = async (index: string) => (await cluster("GET", `${lent.prefix}-${index}/_count`)).count
      assert.deepStrictEqual([await count("identifiers"), await count("findings"), await count("events")], [0, 0, 2])

      isFrozen = true
      const health = await fetch(`${service.url}/healthz`)
      assert.strictEqual(health.status, 503)
      assert.include(await health.text(), '"status":"unavailable"')
      const answers = await Promise.all([
        ask("/v4/credentials/global/_search", credentials),
        ask("/v4/events/global/_search", events)
      ])
      for (const answer of answers) isUnavailable(answer)
      isFrozen = false
      for (const pass of held.splice(0)) pass()
      assert.strictEqual((await ask("/v2/assets/", { name: "harbour", type: "keyword" })).status, 200)
      await cluster("POST", `${lent.prefix}-*/_refresh`)
      assert.deepStrictEqual([await count("identifiers"), await count("findings")], [1, 2])
    } finally {
      await service.stop()
      proxy.close()
      proxy.closeAllConnections()
    }
  })

  it("ends a search at its time limit, does not repeat it, and lets no tenant wait for another one", async () => {
    // A node that searches credentials for a time without an end, and answers everything else.
    const paths: Array<string> = []
    let cancelled = 0
    const proxy = createServer((incoming, outgoing) => {
      const { headers, method, url: path = "" } = incoming
      if (path.includes("-credentials/_search")) {
        paths.push(path)
        outgoing.once("close", () => (cancelled += 1))
        incoming.resume()
        return
      }
      const passed = request(`${url}${path}`, { headers, method: method ?? "GET" }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(passed)
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    const address = proxy.address()
    const urls = [`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`]
    const layer = Layer.orDie(openSearch({ ...lent, urls }))
    const service = await startService({ store: Effect.succeed({ layer, flags: [] }), searchTimeLimit: 3_000 })
    const other = await service.key({ tenantId: 2 })
    const ask = async (token: string, path: string, body: unknown) => {
      const response = await fetch(`${service.url}/svc${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      return { status: response.status, answer: await response.text() }
    }
    try {
      const large = { query: { type: "domain", fqdn: "example.com" }, size: 10_000 }
      const slow = Array.from({ length: 40 }, () => ask(service.token, "/v4/credentials/global/_search", large))
      const first = Promise.race(slow)
      while (paths.length < 2) await new Promise(setImmediate)
      const events = await ask(other, "/v4/events/global/_search", { query: { type: "keyword", keyword: "harbour" } })
      assert.strictEqual(events.status, 200, events.answer)
      assert.strictEqual((await fetch(`${service.url}/healthz`)).status, 200)
      // The tenant itself has two searches at a time.
      assert.isAtMost(paths.length - cancelled, 2)
      const { answer, status } = await first
      assert.strictEqual(status, 503)
      assert.include(answer, "The search was stopped after 3 seconds")
      for (const { status } of await Promise.all(slow)) assert.strictEqual(status, 503)
      assert.isAtMost(paths.length, 40)
      while (cancelled < paths.length) await new Promise(setImmediate)
    } finally {
      await service.stop()
      proxy.close()
      proxy.closeAllConnections()
    }
  })
})

/** The answers of a service while its cluster is only partly available. */
import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { pipeThrough, startServer } from "@threat-exposure/programs/LocalServer"
import type { ClusterOptions } from "@threat-exposure/service/ClusterEngine"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
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

  /** A proxy to the node. Requests for which `keep` returns true are held until `pass` is called. */
  const proxyTo = async (keep: (path: string, pass: () => void, answer: ServerResponse) => boolean) => {
    const proxy = await startServer((request, response) => {
      const pass = () => pipeThrough(request, response, url)
      if (!keep(request.url ?? "", pass, response)) pass()
    })
    return {
      start: (limits: { readonly requestTimeLimit: number; readonly searchTimeLimit: number }) =>
        startService({
          store: Effect.succeed({
            layer: Layer.orDie(openSearch({ ...lent, ...limits, urls: [proxy.url] })),
            flags: []
          }),
          searchTimeLimit: limits.searchTimeLimit
        }),
      close: proxy.close
    }
  }

  /** Milliseconds. Only ends tests that hang. */
  const unlimited = { requestTimeLimit: 1_800_000, searchTimeLimit: 1_800_000 }

  const asking =
    (service: RunningService, token = service.token) =>
    async (path: string, body: unknown, signal: AbortSignal | null = null) => {
      const response = await fetch(`${service.url}/svc${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal
      })
      const { status } = response
      return { status, retryAfter: Number(response.headers.get("retry-after")), answer: await response.text() }
    }
  const statusOf = async ({ url }: RunningService) => (await fetch(`${url}/healthz`)).status

  const credentials = { query: { type: "domain", fqdn: "example.com" } }
  const events = { query: { type: "keyword", keyword: "harbour" } }

  it("answers 503 with Retry-After, and completes each write or does nothing", async () => {
    // Holds requests back, like a frozen node.
    const held: Array<() => void> = []
    let isFrozen = false
    const proxy = await proxyTo((_, pass) => {
      if (isFrozen) held.push(pass)
      return isFrozen
    })
    const thaw = () => {
      isFrozen = false
      for (const pass of held.splice(0)) pass()
    }
    const service = await proxy.start(unlimited)
    const impatient = await proxy.start({ ...unlimited, requestTimeLimit: 4_000 })
    const [ask, askImpatiently] = [asking(service), asking(impatient)]
    const isUnavailable = ({ answer, retryAfter, status }: Awaited<ReturnType<typeof ask>>) => {
      assert.strictEqual(status, 503, answer)
      assert.include(answer, "UNAVAILABLE")
      assert.isTrue(retryAfter > 0 && retryAfter <= 60)
    }
    const paste = (uid: string) => ({
      event_type: "paste",
      metadata: { uid, severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
      data: { title: "harbour", content: "harbour" }
    })
    try {
      await service.load("events", [paste("a"), paste("b")])

      // Blocks writes, as OpenSearch itself does when the disk is full.
      const blockWrites = (isBlocked: boolean) =>
        cluster("PUT", `${lent.prefix}-*/_settings`, { "index.blocks.read_only_allow_delete": isBlocked || null })
      await blockWrites(true)
      isUnavailable(await ask("/v2/assets/", { name: "harbour", type: "keyword" }))
      const load = service.load("events", [paste("c")])
      assert.include(await load.then(String, String), "read-only")
      assert.strictEqual((await ask("/v4/credentials/global/_search", credentials)).status, 200)
      assert.strictEqual((await ask("/v4/events/global/_search", events)).status, 200)
      await blockWrites(false)
      const count = async (index: string) => (await cluster("GET", `${lent.prefix}-${index}/_count`)).count
      assert.deepStrictEqual([await count("identifiers"), await count("findings"), await count("events")], [0, 0, 2])

      isFrozen = true
      const health = await fetch(`${impatient.url}/healthz`)
      assert.strictEqual(health.status, 503)
      assert.include(await health.text(), '"status":"unavailable"')
      const answers = await Promise.all([
        askImpatiently("/v4/credentials/global/_search", credentials),
        askImpatiently("/v4/events/global/_search", events)
      ])
      for (const answer of answers) isUnavailable(answer)
      thaw()
      while ((await statusOf(impatient)) !== 200) await sleep(50)
      assert.strictEqual((await ask("/v2/assets/", { name: "harbour", type: "keyword" })).status, 200)
      await cluster("POST", `${lent.prefix}-*/_refresh`)
      assert.deepStrictEqual([await count("identifiers"), await count("findings")], [1, 2])
    } finally {
      thaw()
      await Promise.all([service.stop(), impatient.stop()])
      await proxy.close()
    }
  })

  /** A cluster whose searches for credentials do not end for a while; it answers all other requests. */
  const endlessSearches = async () => {
    const searches = { sent: 0, cancelled: 0 }
    const proxy = await proxyTo((path, _, answer) => {
      const isKept = /-credentials-v\d+\/_search/u.test(path)
      if (isKept) {
        searches.sent += 1
        answer.once("close", () => (searches.cancelled += 1))
      }
      return isKept
    })
    return { ...proxy, searches }
  }
  const large = { ...credentials, size: 10_000 }

  it("lets no tenant wait for the searches of another one, which has two at a time", async () => {
    const { close, searches, start } = await endlessSearches()
    const service = await start(unlimited)
    try {
      const ask = asking(service)
      const caller = new AbortController()
      const slow = Array.from({ length: 40 }, () => ask("/v4/credentials/global/_search", large, caller.signal))
      const ended = Promise.allSettled(slow)
      while (searches.sent < 2) await sleep(10)
      const askOther = asking(service, await service.key({ tenantId: 2 }))
      const { answer, status } = await askOther("/v4/events/global/_search", events)
      assert.strictEqual(status, 200, answer)
      assert.strictEqual(await statusOf(service), 200)
      assert.deepStrictEqual(searches, { sent: 2, cancelled: 0 })
      caller.abort()
      await ended
      while (searches.cancelled < searches.sent) await sleep(10)
    } finally {
      await service.stop()
      close()
    }
  })

  it("ends a search at its time limit, and does not repeat it", async () => {
    const { close, searches, start } = await endlessSearches()
    const service = await start({ ...unlimited, searchTimeLimit: 1_000 })
    try {
      const ask = asking(service)
      const slow = Array.from({ length: 4 }, () => ask("/v4/credentials/global/_search", large))
      for (const { answer, status } of await Promise.all(slow)) {
        assert.strictEqual(status, 503)
        assert.include(answer, "The search was stopped after 1 second")
      }
      assert.isAtLeast(searches.sent, 2)
      assert.isAtMost(searches.sent, 4)
      while (searches.cancelled < searches.sent) await sleep(10)
    } finally {
      await service.stop()
      close()
    }
  })

  it("answers before an identifier that takes long is matched, and matches it all the same", async () => {
    const held: Array<() => void> = []
    let isSlow = false
    const proxy = await proxyTo((path, pass) => {
      const isHeld = isSlow && path.includes("-findings") && path.includes("/_bulk")
      if (isHeld) held.push(pass)
      return isHeld
    })
    const service = await proxy.start(unlimited)
    const ask = asking(service)
    const data = { type: "keyword", keyword: "slowly" }
    const content = { data, categories: [], emerging_categories: [], severities: [] }
    try {
      await service.load("events", [
        {
          event_type: "paste",
          metadata: { uid: "slow", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
          data: { content: "slowly" }
        }
      ])
      isSlow = true
      const answers = await Promise.all([
        ask("/v4/identifiers/", content),
        ask("/v2/assets/", { name: "slowly", type: "keyword" })
      ])
      const [created, { asset }] = answers.map(({ answer }) => JSON.parse(answer))
      assert.isNull(created.enrichments)
      assert.strictEqual(asset.fetching_progress, 0)
      isSlow = false
      for (const pass of held.splice(0)) pass()
      for (const id of [created.id, asset.id]) {
        const headers = { authorization: `Bearer ${service.token}` }
        const read = async (): Promise<any> =>
          (await fetch(`${service.url}/svc/v4/identifiers/${id}`, { headers })).json()
        let shown = await read()
        while (shown.enrichments === null) {
          await sleep(50)
          shown = await read()
        }
        assert.strictEqual(shown.enrichments.event_count, 1)
      }
    } finally {
      for (const pass of held.splice(0)) pass()
      await service.stop()
      await proxy.close()
    }
  })
})

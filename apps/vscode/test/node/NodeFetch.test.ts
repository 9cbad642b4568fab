/** Tests requests over Node's HTTP modules, to a local server. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { EventEmitter } from "node:events"
import http, { Agent, createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { afterEach, assert, describe, it, vi } from "vitest"
import { nodeFetch } from "../../src/node/NodeFetch.ts"

let stop = () => {}
afterEach(() => stop())

/** Starts a server with this handler. Returns its address, and the number of accepted connections. */
const serve = async (answer: RequestListener) => {
  let connections = 0
  const server = createServer(answer).on("connection", () => connections++)
  stop = () => {
    server.close()
    server.closeAllConnections()
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, connections: () => connections }
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("It did not fail"),
    (cause: unknown) => cause
  )

describe("a request", () => {
  it("is sent unchanged, and its response has every header and byte", async () => {
    const { url } = await serve((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => (body += chunk.toString()))
      request.on("end", () => {
        response.writeHead(418, { "set-cookie": ["a=1", "b=2"], "x-request-id": "r-1" })
        response.write("ä".repeat(40_000))
        response.end(JSON.stringify([request.method, request.url, request.headers["authorization"], body]))
      })
    })
    const response = await nodeFetch(`${url}events?uid=%C3%A4`, {
      method: "PUT",
      headers: { authorization: "Bearer t" },
      body: "{ö}"
    })
    assert.strictEqual(response.status, 418)
    assert.deepStrictEqual(response.headers.getSetCookie(), ["a=1", "b=2"])
    assert.strictEqual(response.headers.get("x-request-id"), "r-1")
    const sent = JSON.stringify(["PUT", "/events?uid=%C3%A4", "Bearer t", "{ö}"])
    assert.strictEqual(await response.text(), "ä".repeat(40_000) + sent)
  })

  it("has no listeners once its response is read, so that a reference to the request does not keep the response", async () => {
    const { url } = await serve((_, response) => response.end("{}"))
    const seen: Array<EventEmitter> = []
    const see = (message: unknown) => {
      const { request, response } = message as Record<"request" | "response", EventEmitter>
      seen.push(request, response)
    }
    subscribe("http.client.response.finish", see)
    await (await nodeFetch(url)).text()
    await new Promise((resolve) => setImmediate(resolve))
    unsubscribe("http.client.response.finish", see)
    assert.lengthOf(seen, 2)
    for (const each of seen) assert.deepStrictEqual(each.eventNames(), [])
  })

  it("reuses the connection of the previous request", async () => {
    const { connections, url } = await serve((_, response) => response.end("{}"))
    for (let turn = 0; turn < 3; turn++) await (await nodeFetch(url)).text()
    assert.strictEqual(connections(), 1)
  })

  it("reuses the agent of the previous request for some seconds, and then the editor's again", async () => {
    // Drops the agent of the earlier tests.
    vi.resetModules()
    const { nodeFetch } = await import("../../src/node/NodeFetch.ts")
    const before = http.globalAgent
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    try {
      const { connections, url } = await serve((_, response) => response.end("{}"))
      await (await nodeFetch(url)).text()
      http.globalAgent = new Agent({ keepAlive: true })
      await (await nodeFetch(url)).text()
      assert.strictEqual(connections(), 1)
      vi.advanceTimersByTime(5000)
      await (await nodeFetch(url)).text()
      assert.strictEqual(connections(), 2)
    } finally {
      http.globalAgent.destroy()
      http.globalAgent = before
      vi.useRealTimers()
    }
  })

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync]
  ] as const)("asks for %s, and decompresses it", async (encoding, compress) => {
    const { url } = await serve((request, response) => {
      assert.include(request.headers["accept-encoding"], encoding)
      response.writeHead(200, { "content-encoding": encoding }).end(compress("ledger".repeat(10_000)))
    })
    assert.strictEqual(await (await nodeFetch(url)).text(), "ledger".repeat(10_000))
  })

  it("follows no redirect, and returns a response without a body", async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(request.url === "/" ? 307 : 204, { location: "/there" }).end()
    })
    const redirect = await nodeFetch(url)
    assert.deepStrictEqual([redirect.status, redirect.headers.get("location")], [307, "/there"])
    const empty = await nodeFetch(`${url}there`)
    assert.deepStrictEqual([empty.status, empty.body], [204, null])
  })
})

describe("a request that fails", () => {
  it("says why there is no connection", async () => {
    const { url } = await serve(() => {})
    stop()
    assert.propertyVal(await failure(nodeFetch(url)), "code", "ECONNREFUSED")
  })

  it("is aborted by its signal: before it is sent, while it waits, and while its body arrives", async () => {
    const closed = Promise.withResolvers<void>()
    const received = Promise.withResolvers<void>()
    const { connections, url } = await serve((request, response) => {
      received.resolve()
      request.socket.once("close", () => closed.resolve())
      if (request.url === "/body") response.write("{")
    })
    const reason = new Error("cancelled")
    assert.strictEqual(await failure(nodeFetch(url, { signal: AbortSignal.abort(reason) })), reason)
    assert.strictEqual(connections(), 0)

    const waiting = new AbortController()
    const answer = failure(nodeFetch(url, { signal: waiting.signal }))
    await received.promise
    waiting.abort(reason)
    assert.strictEqual(await answer, reason)
    await closed.promise

    const reading = new AbortController()
    const response = await nodeFetch(`${url}body`, { signal: reading.signal })
    const body = failure(response.text())
    reading.abort(reason)
    assert.instanceOf(await body, Error)
  })

  it("fails while its body is read if the server cuts it off, even a compressed one", async () => {
    const { url } = await serve((request, response) => {
      if (request.url === "/gzip") response.setHeader("content-encoding", "gzip")
      response.writeHead(200, { "content-length": "1000" }).write(gzipSync("ledger").subarray(0, 12), () => {
        request.socket.destroy()
      })
    })
    assert.instanceOf(await failure((await nodeFetch(url)).text()), Error)
    assert.instanceOf(await failure((await nodeFetch(`${url}gzip`)).text()), Error)
  })
})

/** The faults between a client and a service, over real sockets and Node's own fetch. */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { createClient } from "@threat-exposure/core/promise"
import { type LocalServer, startServer } from "@threat-exposure/programs/LocalServer"
import { afterEach, assert, describe, it } from "vitest"

const page = JSON.stringify({
  items: [{ id: 7, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" }],
  next: null
})
const query = { type: "domain", fqdn: "example.com" } as const

type Handler = (response: ServerResponse, request: IncomingMessage, body: string) => void

const servers: Array<LocalServer> = []
afterEach(() => Promise.all(servers.splice(0).map(({ close }) => close())))

/** Handles requests one after the other; the last handler takes all that follow. */
const serving = async (...handlers: ReadonlyArray<Handler>) => {
  const requests: Array<{ readonly request: IncomingMessage; readonly body: string }> = []
  const server = await startServer(async (request, response) => {
    const body = await text(request)
    requests.push({ request, body })
    handlers[Math.min(requests.length, handlers.length) - 1]?.(response, request, body)
  })
  servers.push(server)
  return { url: server.url, requests }
}

const found = async (url: string, options: { readonly timeout?: number; readonly retries?: number } = {}) => {
  const client = createClient({ baseUrl: url, token: "a-token", retryDelay: 1, ...options })
  const ids: Array<number> = []
  for await (const { id } of client.credentials.search({ query, size: 1 })) ids.push(id)
  return ids
}

const failure = async (call: Promise<unknown>) => {
  try {
    await call
  } catch (error) {
    return Object(error)
  }
  return assert.fail("it did not fail")
}

const good: Handler = (response) => response.end(page)
const resetBefore: Handler = (response) => response.destroy()
const resetInside: Handler = (response) => {
  response.writeHead(200, { "content-length": page.length })
  response.write(page.slice(0, 20), () => response.destroy())
}
const resetInsideChunks: Handler = (response) => {
  response.write(page.slice(0, 20), () => response.destroy())
}
const stall: Handler = () => undefined
const stallInside: Handler = (response) => {
  response.write(page.slice(0, 20))
}
const status =
  (code: number, text: string): Handler =>
  (response) =>
    response.writeHead(code).end(text)

describe("a search", () => {
  it("survives resets, stalls and the error pages of a gateway", async () => {
    const gateway = "<html><h1>Bad Gateway</h1></html>"
    for (const faults of [
      [resetBefore, resetInside, resetInsideChunks],
      [stall, stallInside],
      [status(502, gateway), status(503, "no upstream"), status(504, gateway), status(408, "")]
    ]) {
      const { requests, url } = await serving(...faults, good)
      assert.deepStrictEqual(await found(url, { timeout: 5_000 }), [7])
      assert.strictEqual(requests.length, faults.length + 1)
    }
  })

  it("is Unavailable if they do not end, with the reason", async () => {
    for (const fault of [resetBefore, resetInside, resetInsideChunks]) {
      const { requests, url } = await serving(fault)
      const error = await failure(found(url, { retries: 2 }))
      assert.strictEqual(error.name, "Unavailable")
      assert.strictEqual(error.attempts, 3)
      assert.isAbove(error.cause.message.length, 5)
      assert.strictEqual(requests.length, 3)
    }
  })

  it("is UnexpectedResponse, without a retry, if another server answers", async () => {
    for (const [body, reason] of [
      ["<!doctype html><title>Sign in</title>", "HTML"],
      [page.slice(0, -5), "cut off"],
      ["", "empty"]
    ] as const) {
      const { requests, url } = await serving(status(200, body))
      const error = await failure(found(url))
      assert.strictEqual(error.name, "UnexpectedResponse")
      assert.include(error.message, reason)
      assert.strictEqual(requests.length, 1)
    }
  })

  it("follows a redirect inside the origin, and sends nothing to another origin", async () => {
    const other = await serving(good)
    const redirect =
      (location: string, code = 307): Handler =>
      (response) =>
        response.writeHead(code, { location }).end()
    const inside = await serving(redirect("/elsewhere"), good)
    assert.deepStrictEqual(await found(inside.url), [7])
    assert.strictEqual(inside.requests[1]?.request.url, "/elsewhere")
    assert.strictEqual(inside.requests[1]?.request.headers.authorization, "Bearer a-token")
    assert.strictEqual(inside.requests[1]?.body, inside.requests[0]?.body)
    for (const code of [301, 302, 303, 307, 308]) {
      for (const location of [`${other.url}/svc`, other.url.replace("127.0.0.1", "localhost")]) {
        const { url } = await serving(redirect(location, code))
        const error = await failure(found(url))
        assert.strictEqual(error.name, "UnexpectedResponse")
        assert.include(error.message, "another origin")
      }
    }
    assert.strictEqual(other.requests.length, 0)
  })

  it("sends no tracing header, and its body as JSON", async () => {
    const { requests, url } = await serving(good)
    await found(`${url}/a/path`)
    const { headers, method, url: path } = requests[0]?.request ?? {}
    assert.deepStrictEqual([method, path], ["POST", "/a/path/svc/v4/credentials/global/_search"])
    assert.strictEqual(headers?.["content-type"], "application/json")
    for (const name of ["traceparent", "tracestate", "b3", "baggage"]) assert.isUndefined(headers?.[name])
  })

  it("closes its connection when its reader stops", async () => {
    const closed: Array<Promise<unknown>> = []
    const { requests, url } = await serving(
      (response) => response.end(page.replace("null", '"more"')),
      (response) => {
        closed.push(once(response, "close"))
      }
    )
    const client = createClient({ baseUrl: url, token: "a-token", readAhead: true })
    for await (const _ of client.credentials.search({ query })) {
      while (closed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      break
    }
    await Promise.all(closed)
    assert.strictEqual(requests.length, 2)
  })
})

describe("a create", () => {
  it("is sent once, whatever happens", async () => {
    for (const fault of [resetBefore, resetInside, stall, status(503, ""), status(429, "")]) {
      const { requests, url } = await serving(fault)
      const client = createClient({ baseUrl: url, token: "a-token", retryDelay: 1, timeout: 5_000 })
      const error = await failure(client.intel.ask({ question: "who?" }))
      assert.include(["Unavailable", "RateLimited"], error.name)
      assert.strictEqual(requests.length, 1)
    }
  })
})

import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { inspect } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { type CommonOptions, createClient, isApiError, isKnown, Unavailable } from "../src/promise.ts"

type Answer = Response | ((url: string, init: RequestInit) => Response | Promise<Response>)

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init)

const credential = (id: number) => ({
  id,
  identity_name: "someone@example.com",
  imported_at: "2026-01-01T00:00:00Z",
  hash: "correct-horse"
})

const over = (answer: Answer, options: Partial<CommonOptions> = {}) => {
  const sent: Array<{ readonly url: string; readonly body: unknown; readonly signal: AbortSignal | null | undefined }> =
    []
  const client = createClient({
    baseUrl: "https://api.example.com",
    token: "a-token",
    ...options,
    fetch: async (input, init = {}) => {
      const body = init.body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(init.body)) : undefined
      sent.push({ url: String(input), body, signal: init.signal })
      return typeof answer === "function" ? answer(String(input), init) : answer.clone()
    }
  })
  return { client, sent }
}

const never = (_: string, { signal }: RequestInit) =>
  new Promise<Response>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason))
  })

const paged = (total: number) => (_: string, init: RequestInit) => {
  const { from = "0", size = 10 } = JSON.parse(
    init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : "{}"
  )
  const start = Number(from)
  const end = Math.min(start + size, total)
  return json({
    items: Array.from({ length: end - start }, (_, i) => credential(start + i)),
    next: end === total ? null : String(end)
  })
}

const collectGarbage = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const query = { type: "domain", fqdn: "example.com" } as const
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

const rejection = async (call: () => Promise<unknown>): Promise<Error & Record<string, unknown>> => {
  try {
    await call()
  } catch (error) {
    return Object(error)
  }
  return assert.fail("it did not reject")
}

describe("a call", () => {
  it("returns the service's answer, and sends its arguments in the order of the path", async () => {
    const { client, sent } = over((url) => {
      if (url.includes("by_identifier_id")) return json([])
      if (url.includes("assets/groups")) return json({ assets_group: { id: 2, name: "ours" } })
      if (url.includes("assets")) return json({ asset: { id: 1, name: "example.com", type: "domain" } })
      if (url.includes("intel")) return json({ request_id: "an-id" })
      return url.includes("uid=")
        ? json({
            event_type: "leaked_credential",
            metadata: { estimated_created_at: "2026-01-01T00:00:00Z", uid: "a/b/c", severity: "low" },
            data: { password: "correct-horse" }
          })
        : new Response(null, { status: 204 })
    })
    const event = await client.events.get("a/b/c")
    assert.strictEqual(
      isKnown(event) && event.event_type === "leaked_credential" ? event.data.password?.reveal() : "",
      "correct-horse"
    )
    assert.strictEqual((await client.identifiers.createV2({ name: "example.com", type: "domain" })).id, 1)
    assert.strictEqual((await client.identifierGroups.create({ name: "ours" })).id, 2)
    assert.isUndefined(await client.matchingPolicies.assign("a-uuid", { identifier_ids: [1] }))
    assert.deepStrictEqual(await client.matchingPolicies.ofIdentifier(7), [])
    assert.isUndefined(await client.matchingPolicies.delete("a-uuid"))
    assert.isUndefined(await client.reports.create({ title: "a title" }))
    assert.isUndefined(await client.tenants.addUsers(3, { users: [{ user_id: 4, role: "viewer" }] }))
    assert.deepStrictEqual(await client.intel.ask({ question: "who?", tone: "analytical" }), { request_id: "an-id" })
    assert.deepStrictEqual(
      sent.map(({ url }) => url.replace("https://api.example.com/svc", "")),
      [
        "/v4/events/?uid=a%2Fb%2Fc",
        "/v2/assets/",
        "/v2/assets/groups/",
        "/v4/matching-policies/a-uuid/assignments",
        "/v4/matching-policies/by_identifier_id/7",
        "/v4/matching-policies/a-uuid",
        "/v2/reporting/reports",
        "/v2/tenants/3/users",
        "/v4/threat_flow/intel/requests"
      ]
    )
  })

  it("rejects with an Error named as in the table, with its fields", async () => {
    const { client } = over(json({ message: "no", code: "BAD" }, { status: 400 }))
    const error = await rejection(() => client.identifiers.createV2({ name: "example.com" }))
    assert.instanceOf(error, Error)
    assert.deepInclude(error, { status: 400, code: "BAD", message: "no" })
    assert.strictEqual(error.name, "V2Failure")
    assert.match(inspect(error), /^V2Failure: no\n[^]*at /u)
    const invalid = await rejection(() => client.identifiers.createV2({ name: "" }))
    assert.strictEqual(invalid.name, "RequestInvalid")
  })

  it("rejects with the signal's reason, before and during, and aborts the request", async () => {
    const { client, sent } = over(never)
    const reason = new Error("enough")
    assert.strictEqual(await rejection(() => client.events.get("a", { signal: AbortSignal.abort(reason) })), reason)
    assert.strictEqual(sent.length, 0)
    const controller = new AbortController()
    const pending = rejection(() => client.events.get("a", { signal: controller.signal }))
    await turn()
    controller.abort(reason)
    assert.strictEqual(await pending, reason)
    assert.isTrue(sent[0]?.signal?.aborted)
  })

  it("has its own limits if it is given some, in listings too", async () => {
    const { client, sent } = over(json({ error: { code: "A", message: "b" } }, { status: 503 }), { retryDelay: 0 })
    const failed = await rejection(() => client.events.get("a", { retries: 1 }))
    assert.instanceOf(failed, Unavailable)
    assert.isTrue(isApiError(failed) && failed.attempts === 2)
    await rejection(() => client.events.search({}, { retries: 0 })[Symbol.asyncIterator]().next())
    assert.strictEqual(sent.length, 3)
    const { client: stalled } = over(never)
    const late = await rejection(() => stalled.events.get("a", { deadline: 20 }))
    assert.deepInclude(late, { name: "TimedOut", deadline: 20 })
  })

  it("returns the quota as last reported", async () => {
    const { client } = over(
      json(
        { items: [], next: null },
        { headers: { "X-Word-Global-Searches-Remaining": "7", "X-Word-Global-Searches-Batch-Reached": "1" } }
      )
    )
    assert.deepStrictEqual(client.quota(), { searchesRemaining: undefined, batchReached: undefined })
    for await (const _ of client.events.search()) assert.fail("there is none")
    assert.deepStrictEqual(client.quota(), { searchesRemaining: 7, batchReached: true })
  })

  it("accepts every way to authenticate, and refuses options that cannot work", async () => {
    const seen: Array<string | null> = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      seen.push(new Headers(init?.headers).get("authorization"))
      return json({ request_id: "an-id", token: "from-key" })
    }
    const baseUrl = "https://api.example.com"
    for (const how of [
      { token: "a" },
      { token: { reveal: () => "b" } },
      { token: () => "c" },
      { token: async () => "d" },
      { apiKey: "e", tenantId: 1 }
    ]) {
      await createClient({ baseUrl, fetch, ...how }).intel.ask({ question: "who?" })
    }
    assert.deepStrictEqual(seen, ["Bearer a", "Bearer b", "Bearer c", "Bearer d", "e", "Bearer from-key"])
    const refused = await rejection(async () => createClient({ baseUrl: "http://api.example.com", token: "a" }))
    assert.instanceOf(refused, Error)
    assert.strictEqual(refused.name, "RequestInvalid")
  })

  it("reports the fault if a program without types gives no request, or null", async () => {
    const { client, sent } = over(json({ items: [], next: null }))
    for (const given of [undefined, null]) {
      for await (const _ of Reflect.apply(client.events.search, undefined, [given])) assert.fail("there is none")
      for await (const _ of Reflect.apply(client.recommendations.list, undefined, [given])) assert.fail("there is none")
      const refused = await rejection(async () => {
        for await (const _ of Reflect.apply(client.credentials.search, undefined, [given])) assert.fail("there is none")
      })
      assert.strictEqual(refused.name, "RequestInvalid")
      assert.include(refused.message, "query: is missing")
    }
    assert.deepStrictEqual(
      sent.map(({ body }) => body),
      [{}, undefined, {}, undefined]
    )
  })

  it("reports the missing option if a program without types gives none", async () => {
    for (const options of [undefined, null, {}]) {
      const refused = await rejection(async () => Reflect.apply(createClient, undefined, [options]))
      assert.strictEqual(refused.name, "RequestInvalid")
      assert.include(refused.message, "baseUrl is missing")
    }
  })

  it("survives a large page of a server that can compress it and closes the connection", async () => {
    const items = Array.from({ length: 10_000 }, (_, id) => ({ ...credential(id), credential_hash: randomUUID() }))
    const body = JSON.stringify({ items, next: null })
    await using server = createServer((request, response) => {
      const isCompressed = String(request.headers["accept-encoding"]).includes("gzip")
      if (isCompressed) response.setHeader("content-encoding", "gzip")
      response.setHeader("connection", "close")
      response.end(isCompressed ? gzipSync(body) : body)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = Object(server.address())
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: "a-token" })
    // On some versions of Node, `fetch` throws where only the process sees it, which fails this file.
    assert.lengthOf(await client.credentials.search({ query, size: 10_000 }).toArray(), 10_000)
  })

  it("uses the global fetch at the time of the call", async () => {
    const client = createClient({ baseUrl: "https://api.example.com", token: "a" })
    const before = globalThis.fetch
    globalThis.fetch = async () => json({ request_id: "patched" })
    try {
      assert.deepStrictEqual(await client.intel.ask({ question: "who?" }), { request_id: "patched" })
    } finally {
      globalThis.fetch = before
    }
  })
})

describe("a listing", () => {
  it("yields every item once, and can be read again from its beginning", async () => {
    const { client, sent } = over(paged(35))
    const listing = client.credentials.search({ query })
    for (let reading = 0; reading < 2; reading++) {
      const ids: Array<number> = []
      for await (const { id } of listing) ids.push(id)
      assert.deepStrictEqual(
        ids,
        Array.from({ length: 35 }, (_, i) => i)
      )
    }
    assert.strictEqual(sent.length, 8)
  })

  it("yields pages for programs that stop and resume", async () => {
    const { client, sent } = over(paged(35))
    const ids: Array<number> = []
    let from: string | null = null
    for (let run = 0; run < 4; run++) {
      for await (const { items, next } of client.credentials.pages({ query, from })) {
        ids.push(...items.map(({ id }) => id))
        from = next
        break
      }
    }
    assert.isNull(from)
    assert.strictEqual(ids.length, 35)
    await turn()
    assert.strictEqual(sent.length, 4)
  })

  it("keeps the order if several items are requested at once, and stays at its end", async () => {
    const { client } = over(paged(25))
    const iterator = client.credentials.search({ query })[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 30 }, () => iterator.next()))
    assert.deepStrictEqual(
      results.map((result) => (result.done === true ? "end" : result.value.id)),
      [...Array.from({ length: 25 }, (_, i) => i), ...Array.from({ length: 5 }, () => "end")]
    )
    assert.isTrue((await iterator.next()).done)
  })

  it("releases a page that was read while the next one is requested", async () => {
    const pages = paged(30)
    const { client, sent } = over((url, init) => (sent.length === 1 ? pages(url, init) : never(url, init)))
    const items = client.credentials.search({ query })[Symbol.asyncIterator]()
    const read: Array<WeakRef<object>> = []
    for (let count = 0; count < 10; count++) read.push(new WeakRef((await items.next()).value ?? {}))
    const next = items.next()
    // The client needs some turns to begin the request.
    let held = read
    for (let turns = 0; turns < 100 && held.length > 0; turns++) {
      await turn()
      collectGarbage()
      held = read.filter((item) => item.deref() !== undefined)
    }
    assert.isEmpty(held)
    await items.return?.()
    assert.isTrue((await next).done)
  })

  it("reports what is missing if a program without types gives no request", async () => {
    const { client, sent } = over(paged(1))
    const pages = Reflect.apply(client.credentials.pages, undefined, [])
    const error = await rejection(() => pages[Symbol.asyncIterator]().next())
    assert.strictEqual(error.name, "RequestInvalid")
    assert.include(error.message, "query")
    assert.isEmpty(sent)
  })

  it("throws once where it failed, and then ends", async () => {
    let calls = 0
    const { client } = over(
      (url, init) =>
        ++calls > 2 ? json({ error: { code: "A", message: "b" } }, { status: 500 }) : paged(90)(url, init),
      { retries: 0 }
    )
    const iterator = client.credentials.search({ query })[Symbol.asyncIterator]()
    for (let item = 0; item < 20; item++) assert.isFalse((await iterator.next()).done)
    const error = await rejection(() => iterator.next())
    assert.deepInclude(error, { from: "20", status: 500 })
    assert.strictEqual(error.name, "Unavailable")
    assert.isTrue((await iterator.next()).done)
  })

  it("aborts the request in flight when its loop is left", async () => {
    const { client, sent } = over((url, init) => (sent.length === 1 ? paged(90)(url, init) : never(url, init)), {
      readAhead: true
    })
    for await (const _ of client.credentials.search({ query })) {
      while (sent.length < 2) await turn()
      break
    }
    assert.strictEqual(sent.length, 2)
    assert.isTrue(sent[1]?.signal?.aborted)
  })

  it("rejects with the signal's reason wherever it is", async () => {
    const reason = new Error("enough")
    for (const after of [0, 3, 10]) {
      const controller = new AbortController()
      const { client, sent } = over((url, init) => (sent.length === 1 ? paged(90)(url, init) : never(url, init)))
      const iterator = client.credentials.search({ query }, { signal: controller.signal })[Symbol.asyncIterator]()
      for (let item = 0; item < after; item++) await iterator.next()
      const pending = after === 10 ? rejection(() => iterator.next()) : undefined
      await turn()
      controller.abort(reason)
      assert.strictEqual(await (pending ?? rejection(() => iterator.next())), reason)
      assert.isTrue((await iterator.next()).done)
      assert.isTrue(sent.slice(1).every(({ signal }) => signal?.aborted))
    }
  })
})

describe("a secret", () => {
  it("is revealed on demand, and never otherwise", async () => {
    const { client, sent } = over(paged(1))
    for await (const found of client.credentials.search({ query })) {
      const secret = found.hash
      assert.strictEqual(secret?.reveal(), "correct-horse")
      const leaks = [
        inspect(found, { depth: 9, showHidden: true }),
        inspect(found, { depth: 9, showHidden: true, customInspect: false }),
        JSON.stringify(found),
        String(secret),
        `${secret}`,
        JSON.stringify(structuredClone(found)),
        JSON.stringify({ ...secret }),
        Object.getOwnPropertyNames(secret).join()
      ].join("\n")
      assert.notInclude(leaks, "correct-horse")
      for await (const _ of client.credentials.search({ query: { type: "secret", secret: secret ?? "" } })) break
    }
    assert.deepStrictEqual(sent.at(-1)?.body, { query: { type: "secret", secret: "correct-horse" } })
  })

  it("of an identifier is one as well", async () => {
    const { client } = over(json({ asset: { id: 1, type: "secret", name: "correct-horse" } }))
    const identifier = await client.identifiers.createV2({ type: "secret", name: "correct-horse" })
    assert.notInclude(inspect(identifier, { depth: 9, showHidden: true }), "correct-horse")
    assert.strictEqual(Object(identifier.data["secret"]).reveal(), "correct-horse")
  })

  it("can be revealed anywhere in an identifier's data", async () => {
    const data = { type: "vault", parts: [{ key: "correct-horse" }, 1234] }
    const { client, sent } = over(json({ asset: { id: 1, type: "secret", name: "a name", data } }))
    const identifier = await client.identifiers.createV2({ type: "secret", name: "a name", data })
    assert.notMatch(`${inspect(identifier, { depth: 9 })}${JSON.stringify(identifier)}`, /correct-horse|1234/u)
    const [part, number] = Object(identifier.data["parts"])
    assert.strictEqual(part.key.reveal(), "correct-horse")
    assert.strictEqual(number.reveal(), "1234")
    await client.identifiers.createV2({ type: "secret", name: identifier.name, data: identifier.data })
    assert.deepStrictEqual(sent.at(-1)?.body, {
      type: "secret",
      name: "a name",
      data: { type: "vault", parts: [{ key: "correct-horse" }, "1234"] }
    })
  })
})

describe("an answer as it was received", () => {
  const headers = {
    "x-request-id": "r-1",
    "set-cookie": "session=planted-secret",
    "x-auth-token": "planted-secret",
    "x-echo": "correct-horse-battery"
  }

  it("is there beside the value, without headers that hold a secret", async () => {
    const { client } = over(json({ items: [], next: null }, { headers }))
    const found = await client
      .request("GET", "/v4/anything", { query: { password: "correct-horse-battery" } })
      .withResponse()
    assert.deepStrictEqual(found.data, { items: [], next: null })
    assert.deepStrictEqual(found.response, {
      status: 200,
      headers: { "content-type": "text/plain;charset=UTF-8", "x-request-id": "r-1", "x-echo": "<redacted>" }
    })
    const { client: refused } = over(new Response("{}", { status: 404 }))
    assert.strictEqual((await refused.whoAmI().withResponse()).response.status, 404)
  })

  it("is there for each page", async () => {
    const { client } = over(paged(25))
    const seen: Array<readonly [number, number]> = []
    for await (const { data, response } of client.credentials.pages({ query }).withResponse()) {
      seen.push([response.status, data.items.length])
    }
    assert.deepStrictEqual(seen, [
      [200, 10],
      [200, 10],
      [200, 5]
    ])
  })

  it("rejects once, whichever promise was asked for", async () => {
    const { client } = over(json({}, { status: 403 }))
    assert.strictEqual((await rejection(() => client.events.get("a").withResponse())).name, "Forbidden")
    assert.strictEqual((await rejection(() => client.events.get("a"))).name, "Forbidden")
    await turn()
  })

  it("has the items of a page, also those that cannot be decoded", async () => {
    const items = [{ id: "no number", more: 1 }, 7, credential(1)]
    const { client } = over(json({ items, next: null }))
    const pages = await client.credentials.pages({ query }, { raw: true }).toArray()
    assert.deepStrictEqual(pages, [{ items, next: null }])
    const { client: wrong } = over(json({ next: null }))
    const failure = await rejection(() => wrong.credentials.pages({ query }, { raw: true }).toArray())
    assert.strictEqual(failure.name, "UnexpectedResponse")
  })
})

describe("toArray", () => {
  it("reads as many as the limit says, and no page more", async () => {
    const { client, sent } = over(paged(100))
    const ids = async (limit?: number) =>
      (await client.credentials.search({ query }).toArray({ limit })).map(({ id }) => id)
    assert.deepStrictEqual(
      await ids(12),
      Array.from({ length: 12 }, (_, id) => id)
    )
    assert.lengthOf(sent, 2)
    assert.deepStrictEqual(await ids(0), [])
    assert.lengthOf(sent, 2)
    assert.lengthOf(await ids(), 100)
    assert.lengthOf(await client.credentials.pages({ query }).toArray({ limit: 2 }), 2)
  })
})

describe("the stack of an error", () => {
  const { client } = over(new Response("{}", { status: 404 }))
  const firstFrame = (error: Error) => String(error.stack).split("\n")[1]

  const failingCalls: Record<string, () => Promise<unknown>> = {
    options: () => Promise.resolve(createClient({ baseUrl: "http://example.com", token: "a" })),
    call: () => client.events.get("a"),
    request: () => client.request("GET", "/v4/a"),
    listing: () => client.credentials.search({ query }).toArray(),
    pages: () => client.events.pages().toArray(),
    withResponse: () => client.identifierGroups.create({ name: "a" }).withResponse()
  }
  it("begins in the line that called the client", async () => {
    for (const [name, call] of Object.entries(failingCalls)) {
      const error = await rejection(call)
      assert.match(String(firstFrame(error)), /promise\.test\.ts:\d+/u, name)
      assert.match(String(firstFrame(error)), new RegExp(`\\b${name}\\b`, "u"), name)
    }
  })
})

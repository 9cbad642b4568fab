import { Agent, request } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import {
  type TestServiceOptions,
  type RunningService,
  startService
} from "@threat-exposure/service/testing/TestService"
import { afterAll, beforeAll } from "vitest"
import * as fc from "fast-check"

interface Asked {
  readonly token: string
  readonly path: string
  readonly body: Uint8Array
  readonly headers?: Record<string, string>
}

const path = "/svc/v4/credentials/global/_search"
const agent = new Agent({ keepAlive: true })

/** By the router if `Content-Type` has a parameter. Everything but the time and the id of the request. */
const answer = (service: RunningService, { body, headers, path, token }: Asked, contentType: string) =>
  new Promise<{ readonly isFast: boolean; readonly status: number; readonly headers: unknown; readonly body: string }>(
    (resolve, reject) => {
      const call = request(
        `${service.url}${path}`,
        {
          agent,
          method: "POST",
          headers: { Authorization: token, "Content-Type": contentType, "Content-Length": body.length, ...headers }
        },
        (response) => {
          const chunks: Array<Uint8Array> = []
          response.on("data", (chunk: Uint8Array) => chunks.push(chunk))
          response.on("error", reject)
          response.on("end", () => {
            const { date: _date, "x-request-id": _id, ...rest } = response.headers
            resolve({
              // Effect's server writes header names in lower case.
              isFast: response.rawHeaders.includes("Content-Type"),
              status: response.statusCode ?? 0,
              headers: rest,
              body: Buffer.concat(chunks).toString("latin1")
            })
          })
        }
      )
      call.on("error", reject)
      call.end(body)
    }
  )

/** Both answers to one request, the same but for the way. Undefined where the fast path left it to the router. */
const bothAnswers = async (service: RunningService, asked: Asked) => {
  const { isFast, ...fast } = await answer(service, asked, "application/json")
  const { isFast: isRouterFast, ...routed } = await answer(service, asked, "application/json; charset=utf-8")
  assert.isFalse(isRouterFast)
  assert.deepStrictEqual(fast, routed)
  return isFast ? fast : undefined
}

const running = (options: TestServiceOptions) => {
  const holder: { service?: RunningService } = {}
  beforeAll(async () => {
    holder.service = await startService(options)
  })
  afterAll(() => holder.service?.stop())
  return () => {
    assert(holder.service !== undefined)
    return holder.service
  }
}

/** Sixty credentials of three people, of which many share a moment. */
const credentials = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  identity_name: `person${index % 3}@${index % 2 === 0 ? "example.com" : "mail.example.com"}`,
  imported_at: `2026-01-0${1 + (index % 7)}T00:00:00.00000${index % 2}Z`,
  hash: index % 5 === 0 ? null : `pass-${index % 4} é"\\`,
  known_password_id: index,
  auth_domains: ["sso.example.org"],
  urls: [`https://sso.example.org/${index}`]
}))

/** Mostly as it should be. */
const mostly = (right: fc.Arbitrary<unknown>, ...wrong: ReadonlyArray<unknown>) =>
  fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) })

const time = mostly(fc.constantFrom("2026-01-03T00:00:00Z", "2026-01-05T00:00:00.000001+00:00", null), "yesterday", 5)

const search = fc.record(
  {
    query: mostly(
      fc.oneof(
        fc.record({ type: fc.constant("email"), email: fc.constantFrom("person1@example.com", "PERSON2@example.com") }),
        fc.record({
          type: fc.constantFrom("domain", "auth_domain"),
          fqdn: fc.constantFrom("example.com", "sso.example.org", "")
        }),
        fc.record({ type: fc.constant("secret"), secret: fc.constantFrom('pass-1 é"\\', "pass-2", "\ud800") }),
        fc.record({ type: fc.constant("keyword"), keyword: fc.constantFrom("person", "person 1", "1", "+") })
      ),
      { type: "email", email: 5 },
      { type: "name" },
      []
    ),
    filters: fc.record(
      { imported_at: fc.record({ gte: time, lte: time }, { requiredKeys: [] }) },
      { requiredKeys: [] }
    ),
    size: mostly(
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 101, 10_000)),
      0,
      10_001,
      1.5,
      "5",
      null
    ),
    include: mostly(fc.subarray(["urls", "auth_domains", "known_password_id", "urls"]), ["hash"], [5], "urls"),
    order: mostly(fc.constantFrom("asc", "desc"), "up"),
    from: mostly(fc.constant(null), "", "altered", 7)
  },
  { requiredKeys: ["query"] }
)

/** A body as it should be, mostly; else cut short, spoiled, in another encoding, or nested too deeply. */
const bytes = (json: string): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(Buffer.from(json)) },
    { weight: 1, arbitrary: fc.nat(json.length).map((end) => Buffer.from(json.slice(0, end))) },
    {
      weight: 1,
      arbitrary: fc.nat(json.length).map((at) => Buffer.from(`${json.slice(0, at)}\u0000${json.slice(at)}`))
    },
    { weight: 1, arbitrary: fc.constant(Buffer.from(`\ufeff${json}`)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(json, "utf16le")) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(`{"query":${"[".repeat(300)}${"]".repeat(300)}}`)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))) }
  )

describe("an answer that cannot be read to its end", () => {
  const service = running({})

  it("is cut off on both paths", async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => ({ ...credentials[0], id: index + 1, hash: "secret" }))
    await service().load("credentials", many)
    const [, file = ""] = service().store.flags
    using database = new DatabaseSync(file, { timeout: 600_000 })
    database.exec("UPDATE credentials SET sealed_hash = zeroblob(40) WHERE version = 2")
    const body = Buffer.from(JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size: 10_000 }))
    for (const contentType of ["application/json", "application/json; charset=utf-8"]) {
      const asked = { path, token: `Bearer ${service().token}`, body }
      const failure = await answer(service(), asked, contentType).then(
        ({ status }) => status,
        (cause: Error) => cause.message
      )
      assert.strictEqual(failure, "aborted", contentType)
    }
  })
})

describeOnEngines("the fast path answers as the router does, byte for byte,", ({ store }) => {
  describe("with rates and quota to spare", () => {
    const service = running({ store })
    beforeAll(async () => {
      await service().load("credentials", credentials)
    })

    it("to any search, whatever is wrong with it", async () => {
      const unauthorized = await service().key({ permissions: ["Write Tenant"] })
      const token = fc.oneof(
        { weight: 12, arbitrary: fc.constant(`Bearer ${service().token}`) },
        fc.constantFrom(
          `bearer  ${service().token} `,
          `Bearer ${unauthorized}`,
          `Basic ${service().token}`,
          "Bearer te_unknown",
          "Bearer",
          ""
        )
      )
      const way = fc.oneof(
        { weight: 12, arbitrary: fc.constant({ path }) },
        fc.constantFrom(
          { path: `${path}?a=1` },
          { path: `${path}/` },
          { path, headers: { "X-Forwarded-For": "192.0.2.1" } },
          { path, headers: { Accept: "text/html" } }
        )
      )
      const statuses = new Map<number, number>()
      let fast = 0
      await fc.assert(
        fc.asyncProperty(
          search.chain((body) => bytes(JSON.stringify(body))),
          token,
          way,
          async (body, token, way) => {
            const both = await bothAnswers(service(), { ...way, token, body })
            if (both === undefined) return
            fast += 1
            statuses.set(both.status, (statuses.get(both.status) ?? 0) + 1)
          }
        ),
        { seed: 7, numRuns: 400 }
      )
      assert.isAbove(fast, 250)
      assert.includeMembers([...statuses.keys()], [200, 401, 403, 422])
      assert.isAbove(statuses.get(200) ?? 0, 100)
    })

    it("to every page of a listing, and to its cursors in other searches", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            query: fc.constantFrom(
              { type: "domain", fqdn: "example.com" },
              { type: "auth_domain", fqdn: "sso.example.org" },
              { type: "keyword", keyword: "person 1" }
            ),
            order: fc.constantFrom("asc", "desc"),
            size: fc.integer({ min: 7, max: 40 }),
            other: fc.constantFrom(
              { order: "asc" },
              { order: "desc" },
              { size: 3 },
              { query: { type: "email", email: "a" } }
            )
          }),
          async ({ other, ...search }) => {
            let from: unknown = null
            do {
              const ask = async (body: unknown) => {
                const both = await bothAnswers(service(), {
                  path,
                  token: `Bearer ${service().token}`,
                  body: Buffer.from(JSON.stringify(body))
                })
                assert(both !== undefined)
                return JSON.parse(Buffer.from(both.body, "latin1").toString())
              }
              const { next } = await ask({ ...search, from })
              if (next !== null) await ask({ ...search, from: next, ...other })
              from = next
            } while (from !== null)
          }
        ),
        { seed: 7, numRuns: 25 }
      )
    })
  })

  describe("with more credentials than are read at once", () => {
    const service = running({ store })
    beforeAll(async () => {
      const many = Array.from({ length: 2_345 }, (_, index) => ({ ...credentials[index % 60], id: index + 1 }))
      await service().load("credentials", many)
    })

    it("to large pages", async () => {
      for (const [order, size] of [
        ["asc", 1_001],
        ["desc", 2_000],
        ["desc", 10_000]
      ] as const) {
        let from: unknown = null
        let count = 0
        do {
          const both = await bothAnswers(service(), {
            path,
            token: `Bearer ${service().token}`,
            body: Buffer.from(JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, order, size, from }))
          })
          assert.strictEqual(both?.status, 200)
          const { items, next } = JSON.parse(Buffer.from(both?.body ?? "", "latin1").toString())
          count += items.length
          from = next
        } while (from !== null)
        assert.strictEqual(count, 2_345)
      }
    })
  })

  for (const [what, options, code] of [
    ["beyond the rate of searches", { rates: { search: 0.001 } }, "RATE_LIMITED"],
    ["beyond the quota", { searchesAMonth: 1 }, "QUOTA_EXHAUSTED"]
  ] as const) {
    describe(what, () => {
      const service = running({ store, ...options })

      it("refuses with the same headers", async () => {
        const asked = (email: string) => ({
          path,
          token: `Bearer ${service().token}`,
          body: Buffer.from(JSON.stringify({ query: { type: "email", email } }))
        })
        assert.strictEqual((await answer(service(), asked("a@example.com"), "application/json")).status, 200)
        const both = await bothAnswers(service(), asked("b@example.com"))
        assert.strictEqual(both?.status, 429)
        assert.include(both?.body, code)
      })
    })
  }
})

/** The answers on a port, compared with what docs/api.md promises: expected values are computed from the documentation. */
import { Agent, request } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { deployedLimits } from "@threat-exposure/service/Settings"
import { describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import {
  type TestServiceOptions,
  type RunningService,
  startService
} from "@threat-exposure/service/testing/TestService"
import { afterAll, beforeAll } from "vitest"
import * as fc from "fast-check"

interface Asked {
  readonly token: string
  readonly body: Uint8Array
  readonly path?: string
  readonly contentType?: string
}

const searchPath = "/svc/v4/credentials/global/_search"
const agent = new Agent({ keepAlive: true })

const ask = (
  service: RunningService,
  { body, contentType = "application/json", path = searchPath, token }: Asked
): Promise<{ readonly status: number; readonly headers: Record<string, unknown>; readonly json: any }> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: token, "Content-Type": contentType, "Content-Length": body.length }
    const call = request(`${service.url}${path}`, { agent, method: "POST", headers }, (response) => {
      const chunks: Array<Uint8Array> = []
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        assert.strictEqual(response.headers["content-type"], "application/json")
        assert.isString(response.headers["x-request-id"])
        const json: unknown = JSON.parse(Buffer.concat(chunks).toString())
        resolve({ status: response.statusCode ?? 0, headers: response.headers, json })
      })
    })
    call.on("error", reject)
    call.end(body)
  })

const startForSuite = (options: TestServiceOptions) => {
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

/** Sixty credentials of three people; many have equal times. */
const credentials = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  identity_name: `person${index % 3}@${index % 2 === 0 ? "example.com" : "mail.example.com"}`,
  imported_at: `2026-01-0${1 + (index % 7)}T00:00:00.00000${index % 2}Z`,
  hash: index % 5 === 0 ? null : `pass-${index % 4} é"\\`,
  known_password_id: index,
  auth_domains: ["sso.example.org"],
  urls: [`https://sso.example.org/${index}`]
}))

type Stored = (typeof credentials)[number]

/** A part of a request, and whether docs/api.md allows it. */
interface Part<A> {
  readonly value: A
  readonly isValid: boolean
}

const valid = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<Part<A>> =>
  arbitrary.map((value) => ({ value, isValid: true }))

/** A valid value in fifteen of sixteen cases. */
const mostly = <A>(right: fc.Arbitrary<A>, ...wrong: ReadonlyArray<unknown>): fc.Arbitrary<Part<unknown>> =>
  fc.oneof(
    { weight: 15, arbitrary: valid<unknown>(right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong).map((value) => ({ value, isValid: false })) }
  )

/** A query, and the credentials that it finds according to "Search credentials" in docs/api.md. */
const query = mostly(
  fc.constantFrom<{ readonly [name: string]: string }>(
    { type: "email", email: "person1@example.com" },
    { type: "email", email: "PERSON2@example.com" },
    { type: "domain", fqdn: "example.com" },
    { type: "domain", fqdn: "MAIL.example.com" },
    { type: "auth_domain", fqdn: "example.org" },
    { type: "auth_domain", fqdn: "login.example.org" },
    { type: "secret", secret: 'pass-1 é"\\' },
    { type: "secret", secret: 'PASS-1 é"\\' },
    { type: "keyword", keyword: "person" },
    { type: "keyword", keyword: "1 person" },
    { type: "keyword", keyword: "per" }
  ),
  { type: "email", email: 5 },
  { type: "name" },
  []
)

const finds: Record<string, (wanted: string, credential: Stored) => boolean> = {
  email: (wanted, { identity_name }) => identity_name === wanted.toLowerCase(),
  domain: (wanted, { identity_name }) => isWithin(identity_name.split("@")[1] ?? "", wanted.toLowerCase()),
  auth_domain: (wanted, { auth_domains }) => auth_domains.some((host) => isWithin(host, wanted.toLowerCase())),
  secret: (wanted, { hash }) => hash === wanted,
  keyword: (wanted, { identity_name }) => {
    const runs = (text: string | undefined) => text?.match(/[a-z]+|\d+/gu) ?? []
    return runs(wanted).every((run) => runs(identity_name.split("@")[0]).some((other) => other === run))
  }
}

const isWithin = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

const time = mostly(
  fc.constantFrom("2026-01-03T00:00:00Z", "2026-01-05T00:00:00.000001+00:00", null, undefined),
  "yesterday",
  5
)
const size = mostly(fc.constantFrom(1, 7, 12, 100, 101, 10_000, undefined), 0, 10_001, 1.5, "5", null)
const order = mostly(fc.constantFrom<"asc" | "desc" | undefined>("asc", "desc", undefined), "up")
const include = mostly(fc.subarray(["urls", "auth_domains", "known_password_id"]), ["hash"], [5], "urls")
const from = mostly(fc.constantFrom(null, undefined), "", "altered", 7)

const search = fc.record({ query, gte: time, lte: time, size, order, include, from })

type Search = typeof search extends fc.Arbitrary<infer S> ? S : never

const bodyOf = ({ from, gte, include, lte, order, query, size }: Search): string =>
  JSON.stringify({
    query: query.value,
    filters: { imported_at: { gte: gte.value, lte: lte.value } },
    size: size.value,
    order: order.value,
    include: include.value,
    from: from.value
  })

/** All matches in the order of the listing. ISO 8601 times with the same zone and precision sort as strings. */
const matchesOf = ({ gte, lte, order, query }: Search): ReadonlyArray<Stored> => {
  const [type = "", wanted = ""] = Object.values(query.value ?? {}).map(String)
  const asZulu = (value: unknown) => (typeof value === "string" ? value.replace("+00:00", "Z") : undefined)
  const time = (text: string) => (text.includes(".") ? text : text.replace("Z", ".000000Z"))
  const [since, until] = [asZulu(gte.value), asZulu(lte.value)]
  const ascending = credentials
    .filter((credential) => finds[type]?.(wanted, credential) === true)
    .filter(({ imported_at }) => since === undefined || imported_at >= time(since))
    .filter(({ imported_at }) => until === undefined || imported_at <= time(until))
    .toSorted((a, b) => (a.imported_at < b.imported_at ? -1 : a.imported_at > b.imported_at ? 1 : a.id - b.id))
  return order.value === "asc" ? ascending : ascending.toReversed()
}

const credentialsSearches = (count: number) => ({ seed: 7, numRuns: count })

describe("an answer that cannot be read to its end", () => {
  const service = startForSuite({})

  it("is cut off", async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => ({ ...credentials[0], id: index + 1, hash: "secret" }))
    await service().load("credentials", many)
    const [, file = ""] = service().store.flags
    using database = new DatabaseSync(file, { timeout: 5_000 })
    // Damages the last credential of the second segment, after which the third segment begins.
    database.exec("UPDATE credentials SET imported_at = 1 << 60 WHERE version = 2 * 501")
    const body = Buffer.from(JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size: 10_000 }))
    const failure = await ask(service(), { token: `Bearer ${service().token}`, body }).then(
      ({ status }) => status,
      (cause: Error) => cause.message
    )
    assert.strictEqual(failure, "aborted")
  })
})

describeOnSqlite("credentials searches over HTTP", ({ store }) => {
  describe("with rates and quota to spare", () => {
    const service = startForSuite({ store })
    beforeAll(async () => {
      await service().load("credentials", credentials)
    })

    it("find what the documentation says, or name what is wrong", async () => {
      const statuses = new Map<number, number>()
      const contentTypes = [
        "application/json",
        "application/json; charset=utf-8",
        "application/vnd.threat-exposure+json"
      ]
      await fc.assert(
        fc.asyncProperty(search, fc.constantFrom(...contentTypes), async (search, contentType) => {
          const { json, status } = await ask(service(), {
            token: `Bearer ${service().token}`,
            contentType,
            body: Buffer.from(bodyOf(search))
          })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          const wrong = [
            ...(["query", "size", "order", "include", "from"] as const).filter((name) => !search[name].isValid),
            ...(["gte", "lte"] as const).filter((name) => !search[name].isValid).map(() => "filters")
          ]
          assert.strictEqual(status, wrong.length > 0 ? 422 : 200, JSON.stringify(json))
          if (status === 422) {
            const named = json.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc[1])
            assert.sameMembers([...new Set(named)], [...new Set(wrong)])
            return
          }
          const matches = matchesOf(search)
          const page = matches.slice(0, Number(search.size.value ?? 10))
          assert.deepStrictEqual(
            json.items.map(({ id }: { id: number }) => id),
            page.map(({ id }) => id)
          )
          assert.strictEqual(json.next === null, page.length === matches.length)
          for (const [at, { hash, id: _id, identity_name, ...rest }] of page.entries()) {
            const included = Object.fromEntries(
              Object.entries(rest).filter(
                ([name]) => Array.isArray(search.include.value) && search.include.value.some((each) => each === name)
              )
            )
            assert.deepInclude(json.items[at], { hash, identity_name, ...included })
            assert.strictEqual("urls" in json.items[at], "urls" in included)
          }
        }),
        credentialsSearches(300)
      )
      assert.isAbove(statuses.get(200) ?? 0, 100)
      assert.isAbove(statuses.get(422) ?? 0, 30)
    })

    it("page through every match once, and refuse the cursor of another search", async () => {
      await fc.assert(
        fc.asyncProperty(search, fc.integer({ min: 7, max: 40 }), async (given, size) => {
          const part = <A>(value: A): Part<A> => ({ value, isValid: true })
          const search: Search = {
            ...given,
            query: part({ type: "domain", fqdn: "example.com" }),
            size: part(size),
            order: given.order.isValid ? given.order : part("asc"),
            gte: part(null),
            lte: part(null),
            include: part([])
          }
          const token = `Bearer ${service().token}`
          const page = (search: unknown) => ask(service(), { token, body: Buffer.from(JSON.stringify(search)) })
          const ids: Array<number> = []
          let next: unknown = null
          do {
            const body = JSON.parse(bodyOf({ ...search, from: part(null) }))
            const { json, status } = await page({ ...body, from: next })
            assert.strictEqual(status, 200)
            ids.push(...json.items.map(({ id }: { id: number }) => id))
            next = json.next
            if (next === null) continue
            const other = await page({ ...body, from: next, query: { type: "email", email: "a" } })
            assert.strictEqual(other.status, 422)
            assert.deepStrictEqual(other.json.detail[0].loc, ["body", "from"])
          } while (next !== null)
          assert.deepStrictEqual(
            ids,
            matchesOf(search).map(({ id }) => id)
          )
        }),
        credentialsSearches(20)
      )
    })

    it("are refused before the body is read, if the key may not", async () => {
      const unauthorized = await service().key({ permissions: ["Write Tenant"] })
      const body = Buffer.from("{")
      for (const [token, status] of [
        [`bearer  ${service().token} `, 422],
        [`Bearer ${unauthorized}`, 403],
        [`Basic ${service().token}`, 401],
        ["Bearer te_unknown", 401],
        ["Bearer", 401],
        ["", 401]
      ] as const) {
        assert.strictEqual((await ask(service(), { token, body })).status, status, token)
      }
    })

    it("exist at exactly one path", async () => {
      const asked = {
        token: `Bearer ${service().token}`,
        body: Buffer.from('{"query":{"type":"email","email":"a@example.com"}}')
      }
      for (const [path, status] of [
        [searchPath, 200],
        [`${searchPath}?a=1`, 200],
        [`${searchPath}/`, 404],
        [searchPath.toUpperCase(), 404],
        [searchPath.replace("/global", "//global"), 404],
        [`${searchPath};a`, 404],
        [searchPath.slice("/svc".length), 404]
      ] as const) {
        const { json, status: answered } = await ask(service(), { ...asked, path })
        assert.strictEqual(answered, status, path)
        if (status === 404) assert.notInclude(JSON.stringify(json), "credentials")
      }
    })

    it("need JSON in UTF-8 that is not nested too deeply", async () => {
      const json = '{"query":{"type":"secret","secret":"pass é"}}'
      const deep = `{"query":${"[".repeat(300)}${"]".repeat(300)}}`
      for (const [body, contentType, fault] of [
        [Buffer.from(json), "application/json", undefined],
        [Buffer.from(`\ufeff${json}`), "application/json", undefined],
        [Buffer.from(json.slice(0, -1)), "application/json", "json_invalid"],
        [Buffer.from(json, "utf16le"), "application/json", "json_invalid"],
        [Buffer.from(json, "latin1"), "application/json", "json_invalid"],
        [Buffer.alloc(0), "application/json", "json_invalid"],
        [Buffer.from(deep), "application/json", "json_too_deep"],
        [Buffer.from(json), "text/plain", "content_type_invalid"]
      ] as const) {
        const answer = await ask(service(), { token: `Bearer ${service().token}`, body, contentType })
        assert.strictEqual(answer.status, fault === undefined ? 200 : 422)
        if (fault !== undefined) assert.strictEqual(answer.json.detail[0].type, fault)
      }
    })
  })

  describe("with more credentials than are read at once", () => {
    const service = startForSuite({ store })
    beforeAll(async () => {
      const many = Array.from({ length: 2_345 }, (_, index) => ({ ...credentials[index % 60], id: index + 1 }))
      await service().load("credentials", many)
    })

    it("stream large pages", async () => {
      for (const [order, size] of [
        ["asc", 1_001],
        ["desc", 2_000],
        ["desc", 10_000]
      ] as const) {
        let from: unknown = null
        const ids = new Set<number>()
        do {
          const { json, status } = await ask(service(), {
            token: `Bearer ${service().token}`,
            body: Buffer.from(JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, order, size, from }))
          })
          assert.strictEqual(status, 200)
          assert.isAtMost(json.items.length, size)
          for (const { id } of json.items) ids.add(id)
          from = json.next
        } while (from !== null)
        assert.strictEqual(ids.size, 2_345)
      }
    })
  })

  describe("with the limits of deployed services", () => {
    const service = startForSuite({ store, ...deployedLimits, rates: { search: 0.001, basic: 0.001 } })

    it("are refused without Retry-After, and in the same shape on all paths", async () => {
      for (const path of ["/svc/v4/credentials/global/_search", "/svc/v2/assets/"]) {
        const asked = { path, token: `Bearer ${service().token}`, body: Buffer.from("{}") }
        assert.strictEqual((await ask(service(), asked)).status, 422)
        const { headers, json, status } = await ask(service(), asked)
        assert.strictEqual(status, 429)
        assert.deepStrictEqual(Object.keys(json), ["error"])
        assert.deepStrictEqual(Object.keys(json.error).toSorted(), ["code", "message"])
        assert.strictEqual(json.error.code, "RATELIMIT_REACHED")
        assert.notProperty(headers, "retry-after")
      }
    })
  })

  for (const [what, options, code] of [
    ["beyond the rate of searches", { rates: { search: 0.001 } }, "RATE_LIMITED"],
    ["beyond the quota", { searchesAMonth: 1 }, "QUOTA_EXHAUSTED"]
  ] as const) {
    describe(what, () => {
      const service = startForSuite({ store, ...options })

      it("are refused with the limits in the headers", async () => {
        const asked = (email: string) => ({
          token: `Bearer ${service().token}`,
          body: Buffer.from(JSON.stringify({ query: { type: "email", email } }))
        })
        const first = await ask(service(), asked("a@example.com"))
        assert.strictEqual(first.status, 200)
        assert.isString(first.headers["x-global-searches-remaining"])
        const { headers, json, status } = await ask(service(), asked("b@example.com"))
        assert.deepStrictEqual([status, json.error.code], [429, code])
        if (code === "RATE_LIMITED") assert.isAbove(Number(headers["retry-after"]), 0)
        else assert.strictEqual(headers["x-global-searches-remaining"], "0")
      })
    })
  }
})

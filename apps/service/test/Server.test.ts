import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import document from "@threat-exposure/core/openapi.json" with { type: "json" }
import { describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Context, Effect, Layer } from "effect"

interface Asked {
  readonly method?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly token?: string | null
  readonly headers?: Record<string, string>
}

const call = Effect.fnUntraced(function* (path: string, { body, headers, method, token }: Asked = {}) {
  const service = yield* TestService
  return yield* Effect.promise(async () => {
    const response = await fetch(`${service.url}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token ?? service.token}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === "" ? undefined : JSON.parse(text)
    }
  })
})

const credentials = "/svc/v4/credentials/global/_search"
const events = "/svc/v4/events/global/_search"
const search = (query: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  JSON.stringify({ query, ...more })
const someone = { type: "email", email: "someone@example.com" }

const contentTypes = ["application/json", "application/json; charset=utf-8"].map(
  (type) => [type, { "Content-Type": type }] as const
)

describeOnSqlite("Server", ({ store }) => {
  layer(TestService.layer({ store }), { excludeTestServices: true })("Server", (it) => {
    describe("access", () => {
      for (const [token, what] of [
        [null, "no token"],
        ["wrong", "an unknown token"],
        ["", "an empty token"]
      ] as const) {
        it.effect(`answers 401 to ${what}, before it reads the body`, () =>
          Effect.gen(function* () {
            for (const [path, body] of [
              [credentials, "{"],
              [events, "{"],
              ["/svc/v4/events/identifiers/x/_search", "{"]
            ] as const) {
              const { json, status } = yield* call(path, { token, body })
              assert.strictEqual(status, 401)
              assert.deepEqual(Object.keys(json), ["error"])
              assert.strictEqual(json.error.code, "UNAUTHORIZED")
            }
            const { json, status } = yield* call("/svc/v2/assets/", { token, body: "{" })
            assert.deepEqual(
              [status, json.code, Object.keys(json).toSorted()],
              [401, "UNAUTHORIZED", ["code", "message"]]
            )
          })
        )
      }

      for (const [contentType] of contentTypes) {
        it.effect(`answers 401 without waiting for the body (${contentType})`, () =>
          Effect.gen(function* () {
            const { url } = yield* TestService
            const head = [
              "Host: x",
              "Authorization: Bearer wrong",
              `Content-Type: ${contentType}`,
              "Content-Length: 99"
            ]
            const answered = yield* Effect.promise(
              () =>
                new Promise<string>((resolve) => {
                  const socket = connect(Number(new URL(url).port))
                  socket.write(`POST ${credentials} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n{`)
                  socket.once("data", (data) => {
                    socket.destroy()
                    resolve(String(data))
                  })
                })
            )
            assert.match(answered, /^HTTP\/1\.1 401 /)
          })
        )
      }

      it.effect("answers 403 to a key without the permission, and names it", () =>
        Effect.gen(function* () {
          const { key } = yield* TestService
          const reader = yield* key({ permissions: ["Read Tenant"] })
          const writer = yield* key({ permissions: ["Write Tenant"] })
          for (const [, headers] of contentTypes) {
            const { json, status } = yield* call(credentials, { token: writer, body: search(someone), headers })
            assert.deepEqual([status, json.error.code], [403, "FORBIDDEN"])
            assert.include(json.error.message, "Read Tenant")
          }
          const created = yield* call("/svc/v2/assets/", { token: reader, body: "{" })
          assert.deepEqual([created.status, created.json.code], [403, "FORBIDDEN"])
          assert.include(created.json.message, "Write Tenant")
          const users = yield* call("/svc/v2/tenants/1/users", { token: writer, body: '{"users":[]}' })
          assert.deepEqual([users.status, users.json.code], [403, "FORBIDDEN"])
          assert.include(users.json.message, "Write Tenant Admin")
          const event = yield* call("/svc/v4/events/?uid=paste/example/1", { token: writer, method: "GET" })
          assert.deepEqual([event.status, event.json.error.code], [403, "FORBIDDEN"])
          assert.include(event.json.error.message, "Read Tenant")
        })
      )

      it.effect("accepts the scheme in any case", () =>
        Effect.gen(function* () {
          const { token } = yield* TestService
          for (const [, headers] of contentTypes) {
            const { status } = yield* call(credentials, {
              body: search(someone),
              headers: { ...headers, Authorization: `bearer ${token}` }
            })
            assert.strictEqual(status, 200)
          }
          const basic = yield* call(credentials, {
            body: search(someone),
            headers: { Authorization: `Basic ${token}` }
          })
          assert.strictEqual(basic.status, 401)
        })
      )
    })

    describe("paths", () => {
      it.effect("answers 404 in the shape of the version, whatever the method", () =>
        Effect.gen(function* () {
          for (const [path, asked] of [
            ["/", {}],
            ["/svc/v4/nothing", {}],
            ["/v4/credentials/global/_search", { body: "{}" }],
            [credentials, { method: "GET" }],
            [credentials, { method: "DELETE" }],
            ["/other/v4/events/?uid=a", {}],
            ["/svc/v4/%ff", {}],
            // Paths are exact: case, slashes and encoding.
            ["/HealthZ", {}],
            ["//healthz", {}],
            ["/healthz/", {}],
            ["/healthz%2f", {}],
            ["/healthz;a=b", {}],
            ["/openapi.json/", {}],
            ["/SVC/v4/credentials/global/_search", { body: "{}" }],
            ["/svc/V4/credentials/global/_search", { body: "{}" }],
            ["/svc/v4/Credentials/global/_search", { body: "{}" }],
            ["/svc//v4/credentials/global/_search", { body: "{}" }],
            [`${credentials}/`, { body: "{}" }],
            ["/svc/v4/events?uid=a", {}],
            ["/svc/v4/events//?uid=a", {}],
            ["/svc/v4/identifier-recommendations", {}],
            ["/svc/v4/matching-policies/by_identifier_id/1/", {}]
          ] as const) {
            const { json, status } = yield* call(path, asked)
            assert.deepEqual([path, status, json.error?.code], [path, 404, "UNKNOWN_OPERATION"])
          }
          for (const [path, asked] of [
            ["/svc/v2/nothing", {}],
            ["/svc/v2/assets", { body: "{}" }],
            ["/svc/v2/assets/groups", { body: "{}" }],
            ["/svc/v2/reporting/reports/", { body: "{}" }],
            ["/svc/v2/Tenants/1/users", { body: "{}" }]
          ] as const) {
            const { json, status } = yield* call(path, asked)
            assert.deepEqual([path, status, json.code], [path, 404, "UNKNOWN_OPERATION"])
          }
        })
      )

      it.effect("answers /healthz and /openapi.json without a token", () =>
        Effect.gen(function* () {
          assert.deepEqual((yield* call("/healthz", { token: null })).json, { status: "ok" })
          const { json } = yield* call("/openapi.json", { token: null })
          assert.match(json.openapi, /^3\.1/)
          assert.deepEqual(json.servers, [{ url: "/svc" }])
          const { paths } = document
          for (const path of ["/tokens/generate", "/tokens/test"] as const) {
            assert.deepEqual(json.paths[path], { ...paths[path], servers: [{ url: "/" }] })
          }
          const others = { servers: document.servers, paths: { ...json.paths, ...document.paths } }
          assert.deepEqual({ ...json, ...others }, document)
        })
      )
    })

    describe("requests that break a rule", () => {
      for (const [contentType, headers] of contentTypes) {
        it.effect(`answers with every fault of the body at once (${contentType})`, () =>
          Effect.gen(function* () {
            const body = JSON.stringify({
              query: { type: "secret", secret: 5 },
              size: 10_001,
              include: ["urls", "hash"],
              order: "up",
              filters: { imported_at: { gte: "yesterday" } }
            })
            const { json, status } = yield* call(credentials, { body, headers })
            assert.strictEqual(status, 422)
            assert.deepEqual(
              json.detail
                .map(({ loc, type }: { loc: ReadonlyArray<string>; type: string }) => `${loc.join(".")} ${type}`)
                .toSorted(),
              [
                "body.filters.imported_at.gte datetime_parsing",
                "body.include.1 literal_error",
                "body.order literal_error",
                "body.query.secret string_type",
                "body.size less_than_equal"
              ]
            )
          })
        )

        it.effect(`answers 422 with one fault to a body that is not JSON (${contentType})`, () =>
          Effect.gen(function* () {
            for (const body of ["", "{", '{"query":', "nonsense", '{"a":1}}', "\u0000"]) {
              const { json, status } = yield* call(credentials, { body, headers, method: "POST" })
              assert.strictEqual(status, 422)
              assert.strictEqual(json.detail.length, 1)
              assert.deepEqual(json.detail[0].loc, ["body"])
            }
          })
        )

        it.effect(
          `answers 422 to a body that is not UTF-8, instead of searching for other characters (${contentType})`,
          () =>
            Effect.gen(function* () {
              const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
              for (const [path, body] of [
                [credentials, latin1(search({ type: "secret", secret: "pässword" }))],
                [credentials, new Uint8Array(gzipSync(search(someone)))],
                [events, latin1(search({ type: "secret", secret: "pässword" }))],
                ["/svc/v2/assets/", latin1('{"name":"pässword","type":"secret"}')],
                ["/tokens/generate", latin1('{"tenant":"ä"}')]
              ] as const) {
                const authorization =
                  path === "/tokens/generate"
                    ? { Authorization: yield* Effect.map(TestService, ({ token }) => token) }
                    : {}
                const { json, status } = yield* call(path, { body, headers: { ...headers, ...authorization } })
                assert.deepEqual([status, json.detail?.length, json.detail?.[0].type], [422, 1, "json_invalid"], path)
              }
              const mark = new Uint8Array(Buffer.from(`\uFEFF${search({ type: "secret", secret: "pässword\uFFFD" })}`))
              assert.strictEqual((yield* call(credentials, { body: mark, headers })).status, 200)
            })
        )

        it.effect(`answers 422 with one fault to a body that is nested too deeply (${contentType})`, () =>
          Effect.gen(function* () {
            for (const depth of [201, 5_000, 100_000]) {
              const nested = `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`
              for (const [path, body] of [
                [credentials, `{"query":${nested}}`],
                [events, `{"query":${"[".repeat(depth)}${"]".repeat(depth)}}`],
                ["/svc/v2/assets/", `{"name":"a.example.com","type":"domain","data":${nested}}`],
                ["/svc/v2/assets/", `{"name":"a","type":"secret","data":${nested}}`]
              ] as const) {
                const { json, status } = yield* call(path, { body, headers })
                assert.deepEqual([status, json.detail[0].type, json.detail.length], [422, "json_too_deep", 1])
              }
            }
            const nested = `${'{"\\"[{":'.repeat(198)}"[[["${"}".repeat(198)}`
            const body = `{"name":"deep.example.com","type":"domain","data":${nested}}`
            assert.strictEqual((yield* call("/svc/v2/assets/", { body, headers })).status, 200)
          })
        )

        it.effect(
          `answers 422 with one fault to more than 10,000 items in lists, and to a text that is too long (${contentType})`,
          () =>
            Effect.gen(function* () {
              const list = (length: number, item = '"a"') => `[${Array.from({ length }, () => item).join(",")}]`
              const ofTenant = "/svc/v4/events/tenant/_search"
              for (const [path, body, place] of [
                [ofTenant, `{"filters":{"tags":${list(10_001)}}}`, ["filters", "tags"]],
                [ofTenant, `{"filters":{"type":${list(5_000)},"tags":${list(5_001)}}}`, ["filters", "tags"]],
                [ofTenant, `{"filters":{"type":${list(340_000, "1")}}}`, ["filters", "type"]],
                [
                  "/svc/v2/tenants/1/users",
                  `{"users":${list(4, `{"permissions":${list(3_333)}}`)}}`,
                  ["users", 2, "permissions"]
                ],
                ["/svc/v4/identifiers/", `{"categories":${list(10_001)}}`, ["categories"]],
                ["/svc/v2/assets/", `{"name":"a","data":{"unknown":${list(10_001)}}}`, ["data", "unknown"]]
              ] as const) {
                const { json, status } = yield* call(path, { body, headers })
                assert.strictEqual(status, 422)
                assert.deepEqual(json.detail, [
                  {
                    loc: ["body", ...place],
                    msg: "The lists of a request should have at most 10000 items together",
                    type: "too_long",
                    ctx: { max_length: 10_000 }
                  }
                ])
              }
              const long = "x".repeat(65_537)
              for (const [path, body, place] of [
                [ofTenant, `{"filters":{"tags":["a","${long}"]}}`, ["filters", "tags", 1]],
                ["/svc/v4/threat_flow/intel/requests", `{"question":"${long}"}`, ["question"]]
              ] as const) {
                const { json, status } = yield* call(path, { body, headers })
                assert.strictEqual(status, 422)
                assert.deepEqual(json.detail, [
                  {
                    loc: ["body", ...place],
                    msg: "String should have at most 65536 characters",
                    type: "string_too_long",
                    ctx: { max_length: 65_536 }
                  }
                ])
              }
              const key = search({ type: "secret", secret: long.slice(1) })
              assert.strictEqual((yield* call(credentials, { body: key, headers })).status, 200)
              const most = `{"filters":{"tags":${list(10_000)}}}`
              assert.strictEqual((yield* call(ofTenant, { body: most, headers })).status, 200)
            })
        )

        it.effect(`answers 422 to a cursor that was altered (${contentType})`, () =>
          Effect.gen(function* () {
            const { json, status } = yield* call(credentials, { body: search(someone, { from: "altered" }), headers })
            assert.deepEqual([status, json.detail[0].loc, json.detail.length], [422, ["body", "from"], 1])
          })
        )

        it.effect(`never repeats a value (${contentType})`, () =>
          Effect.gen(function* () {
            const planted = "planted-value-4711"
            for (const body of [
              search({ type: "secret", secret: [planted] }),
              search({ type: planted }),
              search(someone, { from: planted }),
              search(someone, {
                order: planted,
                include: [planted],
                size: planted,
                filters: { imported_at: { gte: planted } }
              }),
              `{"query": "${planted}`
            ]) {
              const { status, text } = yield* call(credentials, { body, headers })
              assert.strictEqual(status, 422)
              assert.notInclude(text, planted)
            }
          })
        )
      }

      it.effect("answers 422 with one fault to another content type", () =>
        Effect.gen(function* () {
          for (const type of [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "application/jsonp"
          ]) {
            for (const path of [credentials, events, "/svc/v2/assets/"]) {
              const { json, status } = yield* call(path, { body: "{}", headers: { "Content-Type": type } })
              assert.strictEqual(status, 422)
              assert.strictEqual(json.detail.length, 1)
            }
          }
        })
      )

      it.effect("names the faults of path, query and body together", () =>
        Effect.gen(function* () {
          const faults = (json: { readonly detail: ReadonlyArray<{ readonly loc: ReadonlyArray<string> }> }) =>
            json.detail.map(({ loc }) => loc.join("."))
          const events = yield* call("/svc/v4/events/identifiers/abc/_search", { body: '{"size":11}' })
          assert.deepEqual([events.status, faults(events.json)], [422, ["path.identifier_id", "body.size"]])
          const list = yield* call("/svc/v4/identifier-recommendations/?size=0&status=no&types=domain&types=x")
          assert.strictEqual(list.status, 422)
          assert.deepEqual(faults(list.json).toSorted(), ["query.size", "query.status", "query.types.1"])
          const missing = yield* call("/svc/v4/events/")
          assert.deepEqual([missing.status, faults(missing.json)], [422, ["query.uid"]])
        })
      )

      it.effect("says of each fault of a query what is wrong with it", () =>
        Effect.gen(function* () {
          for (const [path, fault] of [
            ["identifier-recommendations/?types=x", "query.types.0 literal_error"],
            ["identifier-recommendations/?types=domain&types=x", "query.types.1 literal_error"],
            ["identifier-recommendations/?size=many", "query.size int_parsing"],
            ...["1e1", "10.0", "0x0a", "+10", " 10", "10 ", "1_0", "\u0661"].map(
              (size) =>
                [`identifier-recommendations/?size=${encodeURIComponent(size)}`, "query.size int_parsing"] as const
            ),
            ["identifier-recommendations/?size=1&size=2", "query.size repeated"],
            ["events/?uid=a&uid=b", "query.uid repeated"],
            ["matching-policies?order=asc&order=asc", "query.order repeated"],
            ["identifiers/?is_disabled=true&is_disabled=true", "query.is_disabled repeated"],
            ["matching-policies/by_identifier_id/abc", "path.identifier_id int_parsing"],
            ["matching-policies/by_identifier_id/1e0", "path.identifier_id int_parsing"],
            ["matching-policies/by_identifier_id/1.0", "path.identifier_id int_parsing"],
            ["matching-policies/by_identifier_id/99999999999999999999", "path.identifier_id int_parsing_size"]
          ] as const) {
            const { json, status } = yield* call(`/svc/v4/${path}`)
            const [{ loc, type }] = json.detail
            assert.deepEqual([status, json.detail.length, `${loc.join(".")} ${type}`], [422, 1, fault])
          }
        })
      )

      it.effect("answers 413 to a body over the limit, with or without Content-Length", () =>
        Effect.gen(function* () {
          const body = search({ type: "secret", secret: "a".repeat(1_048_576) })
          for (const path of [credentials, events]) {
            const { json, status } = yield* call(path, { body })
            assert.deepEqual([status, json.error.code], [413, "PAYLOAD_TOO_LARGE"])
          }
          const { json, status } = yield* call("/svc/v2/assets/", { body })
          assert.deepEqual([status, json.code], [413, "PAYLOAD_TOO_LARGE"])
          const service = yield* TestService
          const answer = yield* raw(
            service.url,
            `POST ${credentials} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${service.token}\r\n` +
              `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
              `${"10000\r\n".concat("a".repeat(65_536), "\r\n").repeat(20)}0\r\n\r\n`
          )
          assert.match(answer, /^HTTP\/1\.1 413 /)
        })
      )

      it.effect("accepts a body in chunks, and one announced with Expect", () =>
        Effect.gen(function* () {
          const service = yield* TestService
          const body = search(someone)
          const head = `POST ${credentials} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`
          const chunked = yield* raw(
            service.url,
            `${head}Transfer-Encoding: chunked\r\n\r\n${[...body].map((letter) => `1\r\n${letter}\r\n`).join("")}0\r\n\r\n`
          )
          assert.match(chunked, /^HTTP\/1\.1 200 /)
          const expected = yield* raw(
            service.url,
            `${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          )
          assert.match(expected, /HTTP\/1\.1 200 /)
        })
      )
    })
  })

  layer(TestService.layer({ store, searchesAMonth: 3, pathPrefix: "vault" }), { excludeTestServices: true })(
    "Server with a quota",
    (it) => {
      it.effect(
        "reports the remaining quota on both searches, charges nothing for a repeated search, and refuses searches without quota",
        () =>
          Effect.gen(function* () {
            const path = "/vault/v4/credentials/global/_search"
            const left = (body: string, headers = {}) =>
              Effect.map(call(path, { body, headers }), ({ headers, status }) => [
                status,
                headers.get("x-global-searches-remaining")
              ])
            assert.deepEqual(yield* left(search(someone)), [200, "2"])
            assert.deepEqual(yield* left(search(someone, { size: 5, order: "asc" })), [200, "2"])
            const found = yield* call("/vault/v4/events/global/_search", { body: search(someone) })
            assert.deepEqual([found.status, found.headers.get("x-global-searches-remaining")], [200, "1"])
            const again = yield* call("/vault/v4/events/global/_search", { body: search(someone, { size: 3 }) })
            assert.strictEqual(again.headers.get("x-global-searches-remaining"), "1")
            assert.deepEqual(yield* left(search({ type: "email", email: "other@example.com" })), [200, "0"])
            for (const [, headers] of contentTypes) {
              const spent = yield* call(path, { body: search({ type: "email", email: "third@example.com" }), headers })
              assert.deepEqual([spent.status, spent.json.error.code], [429, "QUOTA_EXHAUSTED"])
              assert.isNull(spent.headers.get("retry-after"))
              assert.match(spent.json.error.message, /it renews at \d{4}-\d\d-01T00:00:00\.000Z$/)
              assert.strictEqual(spent.headers.get("x-global-searches-remaining"), "0")
            }
            const events = yield* call("/vault/v4/events/global/_search", {
              body: search({ type: "keyword", keyword: "x" })
            })
            assert.deepEqual([events.status, events.json.error.code], [429, "QUOTA_EXHAUSTED"])
            assert.isNull(events.headers.get("retry-after"))
            assert.strictEqual(events.headers.get("x-global-searches-remaining"), "0")
            assert.deepEqual(yield* left(search(someone)), [200, "0"])
            const other = yield* (yield* TestService).key({ tenantId: 2 })
            const elsewhere = yield* call(path, { body: search(someone), token: other })
            assert.strictEqual(elsewhere.headers.get("x-global-searches-remaining"), "2")
          })
      )
    }
  )

  layer(TestService.layer({ store, rates: { search: 0.1, basic: 0.1 } }), { excludeTestServices: true })(
    "Server with rates",
    (it) => {
      // One call per ten seconds is allowed, which leaves a slow machine time for all of the requests.
      it.effect("answers 429 with the seconds to wait, separately for each tier", () =>
        Effect.gen(function* () {
          const secondsToWait = /^(?:[1-9]|10)$/u
          assert.strictEqual((yield* call(credentials, { body: search(someone) })).status, 200)
          for (const [path, headers] of [
            [credentials, {}],
            [credentials, { "Content-Type": "application/json; charset=utf-8" }],
            [events, {}]
          ] as const) {
            const second = yield* call(path, { body: search(someone), headers })
            assert.deepEqual([second.status, second.json.error.code], [429, "RATE_LIMITED"])
            assert.match(second.headers.get("retry-after") ?? "", secondsToWait)
          }
          assert.strictEqual((yield* call("/svc/v4/identifier-recommendations/")).status, 200)
          const asset = yield* call("/svc/v2/assets/", { body: "{}" })
          assert.deepEqual([asset.status, asset.json.code], [429, "RATE_LIMITED"])
          assert.match(asset.headers.get("retry-after") ?? "", secondsToWait)
        })
      )
    }
  )

  describe("the end of a service", () => {
    // The clock of the test stands still, so waiting for the idle timeout would never end.
    it.effect("stops although a connection without a request is open", () =>
      Effect.gen(function* () {
        const ended = Promise.withResolvers<void>()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { url } = Context.get(yield* Layer.build(TestService.layer({ store })), TestService)
            const silent = connect(Number(new URL(url).port), "127.0.0.1")
            silent.on("error", () => {})
            silent.on("close", () => ended.resolve())
            // Connections are accepted in their order: once this one is answered, the server has also accepted the
            // other.
            yield* raw(url, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
          })
        )
        yield* Effect.promise(() => ended.promise)
      })
    )
  })
})

const raw = (url: string, text: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.on("data", (data) => {
      answer += data.toString("latin1")
    })
    // A server that has refused a body may close before all of it is sent.
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(answer)))
  })

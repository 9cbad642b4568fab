import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ApiClient } from "../../src/client/ApiClient.ts"
import { json, makeScript, over, refusal } from "../transport/Script.ts"

const whoAmI = Effect.flatMap(ApiClient, (api) => api.whoAmI)
const request = (...args: Parameters<ApiClient["Service"]["request"]>) =>
  Effect.flatMap(ApiClient, (api) => api.request(...args))

describe("whoAmI", () => {
  it.effect("is requested below the base URL, outside the prefix, with the token", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        json({ token: "token-1" }),
        json({ tenant_id: 7, user_id: 8, scopes: ["Read Tenant", "Another"], more: 1 })
      )
      const found = yield* whoAmI.pipe(over(script.layer({ apiKey: "a-key", baseUrl: "https://api.example.com/base" })))
      assert.deepStrictEqual(found, { tenant_id: 7, user_id: 8, scopes: ["Read Tenant", "Another"] })
      assert.deepInclude(script.sent[1], { method: "GET", url: "https://api.example.com/base/tokens/test" })
      assert.strictEqual(script.sent[1]?.headers["authorization"], "Bearer token-1")
    })
  )

  it.effect("is undefined if the service does not support it, and tolerates absent fields", () =>
    Effect.gen(function* () {
      const unknown = yield* makeScript(refusal(404))
      assert.isUndefined(yield* whoAmI.pipe(over(unknown.layer())))
      const bare = yield* makeScript(json({ user_id: null }))
      assert.deepStrictEqual(yield* whoAmI.pipe(over(bare.layer())), { tenant_id: null, user_id: null, scopes: [] })
    })
  )

  it.effect("fails like any other call", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(403))
      const error = yield* Effect.flip(whoAmI).pipe(over(script.layer()))
      assert.deepInclude(error, { _tag: "Forbidden", operation: "ApiClient.whoAmI", permission: undefined })
    })
  )
})

describe("fetch", () => {
  it.effect("belongs to each client of a program with several", () =>
    Effect.gen(function* () {
      const used: Array<string> = []
      const client = (name: string) =>
        Layer.effectDiscard(Effect.ignore(whoAmI)).pipe(
          Layer.provide(
            ApiClient.layer({
              baseUrl: "https://api.example.com",
              token: "token-1",
              fetch: () => {
                used.push(name)
                return Promise.resolve(new Response("{}"))
              }
            })
          )
        )
      yield* Effect.scoped(Layer.build(Layer.mergeAll(client("first"), client("second"))))
      assert.deepStrictEqual(used.toSorted(), ["first", "second"])
    })
  )
})

describe("request", () => {
  it.effect("sends query and body to a path after the prefix, and returns the JSON", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({ any: ["thing"] }), new Response(null, { status: 204 }))
      yield* Effect.gen(function* () {
        const query = { size: 5, tag: ["a b", "c"], none: undefined, nothing: null, on: true, half: "\ud800" }
        assert.deepStrictEqual(yield* request("GET", "/v5/things/1%2F2", { query }), { any: ["thing"] })
        assert.isUndefined(yield* request("POST", "/v5/things/", { body: { name: "x", left: undefined } }))
      }).pipe(over(script.layer()))
      assert.strictEqual(
        script.sent[0]?.url,
        "https://api.example.com/svc/v5/things/1%2F2?size=5&tag=a%20b&tag=c&on=true&half=%EF%BF%BD"
      )
      assert.isUndefined(script.sent[0]?.body)
      assert.deepStrictEqual(script.sent[1]?.body, { name: "x" })
    })
  )

  it.effect("is retried if it is a read, and sent once otherwise", () =>
    Effect.gen(function* () {
      for (const [method, sent] of [
        ["GET", 5],
        ["HEAD", 5],
        ["POST", 1],
        ["PUT", 1],
        ["DELETE", 1]
      ] as const) {
        const script = yield* makeScript(refusal(503))
        const error = yield* Effect.flip(request(method, "/v5/things")).pipe(over(script.layer()))
        assert.deepInclude(error, { _tag: "Unavailable", operation: "ApiClient.request", attempts: sent })
        assert.strictEqual(script.sent.length, sent)
      }
    })
  )

  it.effect("removes secrets from its errors", () =>
    Effect.gen(function* () {
      for (const given of [
        { body: { note: Redacted.make("correct-horse") } },
        { body: { nested: [{ password: "correct-horse" }] } },
        { body: { client_secret: { value: "correct-horse" } } },
        { query: { token: "correct-horse" } },
        { query: { q: [{ reveal: () => "correct-horse" }] } }
      ]) {
        const script = yield* makeScript((sent) =>
          json({ message: `no: ${sent.url} ${JSON.stringify(sent.body)}`, code: "BAD" }, { status: 400 })
        )
        const error = yield* Effect.flip(request("POST", "/v5/things", given)).pipe(over(script.layer()))
        assert.include(script.sent[0]?.url + JSON.stringify(script.sent[0]?.body), "correct-horse")
        assert.notInclude(inspect(error), "correct-horse")
        assert.include(error.message, "<redacted>")
      }
    })
  )

  it.effect("refuses a path outside the prefix, and requests that cannot be sent", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({}))
      for (const path of ["", "v5", "/../tokens/test", "/a/%2e%2E/b", "/a/.", "/a?b", "/a#b", "/a b", "/a\\..\\b"]) {
        const error = yield* Effect.flip(request("GET", path)).pipe(over(script.layer()))
        assert.strictEqual(error._tag, "RequestInvalid", path)
      }
      const error = yield* Effect.flip(request("GET", "/v5", { body: {} })).pipe(over(script.layer()))
      assert.strictEqual(error._tag, "RequestInvalid")
      assert.strictEqual(script.sent.length, 0)
    })
  )
})

import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ApiClient } from "../../src/client/ApiClient.ts"
import { type ClientOptions, settingsOf } from "../../src/client/ClientOptions.ts"
import { layerConfig, options } from "../../src/client/config.ts"

const refusal = (given: Partial<ClientOptions>) =>
  Result.getFailure(settingsOf({ baseUrl: "https://api.example.com", token: "a-token", ...given }))
const ruleOf = (given: Partial<ClientOptions>) => {
  const failure = refusal(given)
  assert.strictEqual(failure._tag, "Some", inspect(given))
  return failure._tag === "Some" ? failure.value.rule : ""
}
const accepts = (given: Partial<ClientOptions>) => assert.strictEqual(refusal(given)._tag, "None", inspect(given))

describe("a base URL", () => {
  it("is https, or http to a loopback address", () => {
    for (const baseUrl of [
      "https://api.example.com",
      "https://api.example.com:8443/a/path/",
      "HTTPS://API.EXAMPLE.COM",
      "http://localhost:8787",
      "http://127.0.0.1:8787",
      "http://127.255.0.9",
      "http://127.1",
      "http://[::1]:8787",
      new URL("https://api.example.com/v")
    ]) {
      accepts({ baseUrl })
    }
    for (const baseUrl of [
      "http://api.example.com",
      "http://10.0.0.1",
      "http://0.0.0.0",
      "http://128.0.0.1",
      "http://127.0.0.1.example.com",
      "http://localhost.example.com",
      "http://[::2]",
      "ftp://127.0.0.1",
      "file:///etc/passwd",
      "javascript:alert(1)"
    ]) {
      assert.include(ruleOf({ baseUrl }), "https://", baseUrl)
    }
    for (const baseUrl of ["", "api.example.com", "/svc", "https://"]) assert.include(ruleOf({ baseUrl }), "not a URL")
  })

  it("contains no credentials, query or fragment, and is not repeated in the error if it does", () => {
    for (const baseUrl of [
      "https://user:pass-word@api.example.com",
      "https://pass-word@api.example.com",
      "https://api.example.com?token=pass-word",
      "https://api.example.com/?",
      "https://api.example.com/#pass-word",
      "https://api.example.com/#"
    ]) {
      assert.notInclude(ruleOf({ baseUrl }), "pass-word")
    }
  })
})

describe("the other options", () => {
  it("require exactly one way to authenticate", () => {
    assert.include(ruleOf({ token: undefined }), "token or apiKey")
    assert.include(ruleOf({ apiKey: "a-key" }), "token or apiKey")
    assert.include(ruleOf({ tenantId: 1 }), "tenantId")
    assert.include(ruleOf({ token: undefined, apiKey: "a-key", tenantId: 1.5 }), "tenantId")
    accepts({ token: undefined, apiKey: "a-key", tenantId: 1 })
    accepts({ token: Redacted.make("a-token") })
    accepts({ token: { reveal: () => "a-token" } })
    accepts({ token: " a-token\n" })
  })

  it("are refused without showing a token that a header cannot contain", () => {
    for (const token of ["", " ", "one-half\nother-half", "one-half other-half", "one-half\u201d"]) {
      assert.notInclude(ruleOf({ token }), "half")
      assert.notInclude(ruleOf({ token: undefined, apiKey: token }), "half")
    }
  })

  it("are numbers within their bounds", () => {
    for (const [name, value] of [
      ["timeout", 0],
      ["timeout", Number.NaN],
      ["deadline", -1],
      ["deadline", Number.POSITIVE_INFINITY],
      ["retries", -1],
      ["retries", 1.5],
      ["retryDelay", -1]
    ] as const) {
      assert.include(ruleOf({ [name]: value }), name)
    }
    assert.include(ruleOf({ rateLimits: { search: 0 } }), "rateLimits.search")
    assert.include(ruleOf({ rateLimits: { basic: -1 } }), "rateLimits.basic")
    accepts({ retries: 0, retryDelay: 0, timeout: 1, deadline: 1, rateLimits: { search: 0.5 } })
  })

  it("are words that are valid in a path or as a field name", () => {
    for (const pathPrefix of ["", "/", "a b", "..", "a/../b", "a?b", "a#b"]) {
      assert.include(ruleOf({ pathPrefix }), "pathPrefix")
    }
    for (const pathPrefix of ["svc", "/word/", "two/words", "a-b_c.d~1"]) accepts({ pathPrefix })
    assert.include(ruleOf({ linkField: "" }), "linkField")
  })
})

describe("the environment", () => {
  const from = (env: Record<string, string>) => Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

  it.effect("configures the service, a token or a key, and the service's own names", () =>
    Effect.gen(function* () {
      const given = yield* Effect.gen(function* () {
        return yield* options
      }).pipe(
        from({
          THREAT_EXPOSURE_BASE_URL: "https://api.example.com",
          THREAT_EXPOSURE_TOKEN: "a-token",
          THREAT_EXPOSURE_PATH_PREFIX: "word",
          THREAT_EXPOSURE_LINK_FIELD: "word_url"
        })
      )
      assert.deepInclude(given, { baseUrl: "https://api.example.com", pathPrefix: "word", linkField: "word_url" })
      assert.notInclude(inspect(given), "a-token")
      const settings = Result.getOrThrow(settingsOf(given))
      assert.deepStrictEqual(settings.authentication, { _tag: "Constant", token: "a-token" })
    })
  )

  it.effect("builds every service as one layer, or reports what is wrong", () =>
    Effect.gen(function* () {
      const key = {
        THREAT_EXPOSURE_BASE_URL: "https://api.example.com",
        THREAT_EXPOSURE_API_KEY: "a-key",
        THREAT_EXPOSURE_LINK_FIELD: "word_url"
      }
      const build = Effect.scoped(Layer.build(layerConfig))
      const built = yield* build.pipe(from(key))
      assert.strictEqual((yield* Effect.provide(ApiClient, built)).transport.linkField, "word_url")
      const missing = yield* Effect.flip(build.pipe(from({ THREAT_EXPOSURE_TOKEN: "a-token" })))
      assert.instanceOf(missing, Error)
      assert.include(missing.message, "THREAT_EXPOSURE_BASE_URL is not set")
      const plain = yield* Effect.flip(build.pipe(from({ ...key, THREAT_EXPOSURE_BASE_URL: "http://example.com" })))
      assert.strictEqual(plain._tag, "RequestInvalid")
    })
  )
})

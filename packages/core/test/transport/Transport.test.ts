import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { TestClock } from "effect/testing"
import { type ApiError, isApiError, RateLimited } from "../../src/client/ApiError.ts"
import { ApiClient } from "../../src/client/ApiClient.ts"
import { CallOptions, type ClientOptions, type ResponseInfo } from "../../src/client/ClientOptions.ts"
import { Credentials } from "../../src/client/Credentials.ts"
import { Events } from "../../src/client/Events.ts"
import { Identifiers } from "../../src/client/Identifiers.ts"
import { MatchingPolicies } from "../../src/client/MatchingPolicies.ts"
import { Reports } from "../../src/client/Reports.ts"
import { cutBody, finish, json, makeScript, over, refusal, reset, settle, type Step, stalledBody } from "./Script.ts"

const event = {
  event_type: "bucket",
  metadata: { estimated_created_at: "2026-01-01T00:00:00Z", uid: "a/b/c", severity: "low" },
  data: {}
}
const get = Effect.flatMap(Events, (events) => events.get("a/b/c"))
const create = Effect.flatMap(Identifiers, (identifiers) => identifiers.createV2({ name: "example.com" }))
const search = Effect.flatMap(Credentials, (credentials) =>
  Stream.runCollect(credentials.search({ query: { type: "domain", fqdn: "example.com" } }))
)

/** Calls an operation with a script that always answers the same; returns the failure and the sent requests. */
const failing = Effect.fnUntraced(function* (
  step: Step,
  call: Effect.Effect<unknown, ApiError, Events | Identifiers | Credentials | MatchingPolicies | Reports>,
  options: Partial<ClientOptions> = {}
) {
  const script = yield* makeScript(step)
  const error = yield* Effect.flip(call).pipe(over(script.layer(options)))
  return { error, sent: script.sent }
})

describe("a request", () => {
  it.effect("has the token and its body as JSON, and no tracing header", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({ items: [], next: null }))
      yield* search.pipe(Effect.withSpan("a span of the caller"), over(script.layer()))
      const [request] = script.sent
      assert.deepStrictEqual(request?.headers, {
        accept: "application/json",
        authorization: "Bearer a-token",
        "content-type": "application/json"
      })
      assert.strictEqual(request?.method, "POST")
      assert.strictEqual(request?.url, "https://api.example.com/svc/v4/credentials/global/_search")
      assert.deepStrictEqual(request?.body, { query: { type: "domain", fqdn: "example.com" } })
    })
  )

  it.effect("is sent below the base URL's path and the prefix, with its parameters encoded", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      yield* Effect.flatMap(Events, (events) => events.get("a/b@c/d e")).pipe(
        over(script.layer({ baseUrl: "https://api.example.com/a/path/", pathPrefix: "/word/" }))
      )
      assert.strictEqual(script.sent[0]?.url, "https://api.example.com/a/path/word/v4/events/?uid=a%2Fb%40c%2Fd%20e")
      assert.isUndefined(script.sent[0]?.headers["content-type"])
    })
  )

  it.effect("has spans with the names of the code, none of which contains the request", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const script = yield* makeScript(refusal(422))
      yield* Effect.flatMap(Credentials, (credentials) =>
        Stream.runDrain(credentials.search({ query: { type: "secret", secret: "correct-horse" } }))
      ).pipe(Effect.withTracer(tracer), Effect.ignore, over(script.layer()))
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["Credentials.search"]
      )
      assert.notInclude(inspect(spans, { depth: 12 }), "correct-horse")
      assert.notInclude(inspect(spans, { depth: 12 }), "a-token")
    })
  )
})

describe("an answer", () => {
  const v4 = (status: number) => refusal(status, "SOME_CODE", "some words")
  const v2 = (status: number) => json({ message: "some words", code: "SOME_CODE" }, { status })
  const html = (status: number) => new Response("<html><h1>Bad Gateway</h1></html>", { status })
  const once = { retries: 0 }

  for (const [status, name] of [
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [422, "ValidationFailed"],
    [429, "RateLimited"],
    [500, "Unavailable"],
    [501, "Unavailable"],
    [502, "Unavailable"],
    [503, "Unavailable"],
    [504, "Unavailable"]
  ] as const) {
    it.effect(`of ${status} is ${name}, whatever the body is`, () =>
      Effect.gen(function* () {
        for (const body of [v4(status), v2(status), html(status), new Response("", { status }), json({}, { status })]) {
          const { error } = yield* failing(body, get, once)
          assert.strictEqual(error._tag, name)
          assert.strictEqual(error.name, name)
          assert.instanceOf(error, Error)
          assert.isTrue(error.message.length > 10 || error.message === "some words", error.message)
          assert.strictEqual(error.operation, "Events.get")
        }
      })
    )
  }

  for (const [what, response, lacksOperation] of [
    ["a v4 error", () => v4(404), false],
    ["a v2 error", () => v2(404), false],
    ["a sentence about the resource", () => json({ detail: "Event not found" }, { status: 404 }), false],
    ["faults", () => json({ detail: [{ loc: ["query", "uid"], msg: "unknown" }] }, { status: 404 }), false],
    ["the code of an unknown path", () => refusal(404, "UNKNOWN_OPERATION", "some words"), true],
    ["nothing", () => new Response("", { status: 404 }), true],
    ["a page", () => html(404), true],
    ["an empty object", () => json({}, { status: 404 }), true],
    ["the words of FastAPI", () => json({ detail: "Not Found" }, { status: 404 }), true],
    ["the words of Django", () => json({ detail: "Not found." }, { status: 404 }), true],
    [
      "the words of NestJS",
      () => json({ message: "Cannot GET /svc/v4/events/", error: "Not Found" }, { status: 404 }),
      true
    ],
    ["the words of Kong", () => json({ message: "no Route matched with those values" }, { status: 404 }), true],
    ["a v4 error", () => v4(405), true],
    ["a page", () => html(405), true],
    ["a v4 error", () => v4(501), true],
    ["nothing", () => new Response("", { status: 501 }), true],
    ["a v4 error", () => v4(403), false],
    ["nothing", () => new Response("", { status: 500 }), false]
  ] as const) {
    const { status } = response()
    it.effect(
      `of ${status} with ${what} means a missing ${lacksOperation ? "operation" : "resource or another reason"}`,
      () =>
        Effect.gen(function* () {
          const { error } = yield* failing(response(), get, once)
          assert.strictEqual(error.lacksOperation, lacksOperation)
          assert.strictEqual(
            error._tag === "NotFound" && error.message.includes("operation"),
            lacksOperation && status === 404
          )
        })
    )
  }

  it.effect("of another 4xx is distinguished by its body", () =>
    Effect.gen(function* () {
      for (const status of [400, 409, 413, 418]) {
        const inV2 = (yield* failing(v2(status), create)).error
        assert.deepInclude(inV2, { _tag: "V2Failure", status, code: "SOME_CODE", message: "some words" })
        const inV4 = (yield* failing(v4(status), create)).error
        assert.deepInclude(inV4, { _tag: "ServiceFailure", status, code: "SOME_CODE", message: "some words" })
        const inNone = (yield* failing(html(status), create)).error
        assert.deepInclude(inNone, { _tag: "ServiceFailure", status, code: undefined })
        assert.include(inNone.message, String(status))
      }
    })
  )

  it.effect("contains the message of the service, in any of the simpler shapes of gateways", () =>
    Effect.gen(function* () {
      const said = "no such plan"
      for (const body of [{ message: said }, { error: said }, { error: { message: said } }, { detail: said }]) {
        const refused = (yield* failing(json(body, { status: 402 }), get)).error
        assert.deepInclude(refused, { _tag: "ServiceFailure", status: 402, code: undefined, message: said })
        const out = (yield* failing(json(body, { status: 500 }), get)).error
        assert.deepInclude(out, { _tag: "Unavailable", status: 500 })
        assert.strictEqual(out.message, `Events.get: the service answered 500 after 1 attempt: ${said}`)
        const invalid = (yield* failing(json(body, { status: 422 }), get)).error
        assert.deepInclude(invalid, { _tag: "ValidationFailed", detail: [{ loc: [], msg: said, type: "unknown" }] })
      }
      for (const body of [{ message: " " }, { error: {} }, [said], said, null]) {
        const { error } = yield* failing(json(body, { status: 402 }), get)
        assert.include(error.message, "answered 402 and did not say why")
      }
    })
  )

  it.effect("of 429 without a reason says when to try again", () =>
    Effect.gen(function* () {
      for (const [headers, advice] of [
        [{ "Retry-After": "90" }, "try again in 90 s"],
        [{}, "try again later"]
      ] as const) {
        const { error } = yield* failing(new Response("", { status: 429, headers }), get, { retries: 0 })
        assert.strictEqual(error.message, `Events.get: too many calls: ${advice}`)
      }
    })
  )

  it.effect("that does not arrive is reported with the cause, on one line, and each code once", () =>
    Effect.gen(function* () {
      for (const [cause, why] of [
        [new Error(), undefined],
        [new Error("wrong version number\n"), "wrong version number"],
        [Object.assign(new Error("self-signed certificate"), { code: "E_SELF" }), "self-signed certificate (E_SELF)"],
        [Object.assign(new Error("connect EREFUSED ::1:9"), { code: "EREFUSED" }), "connect EREFUSED ::1:9"]
      ] as const) {
        const { error } = yield* failing(new TypeError("fetch failed", { cause }), get, { retries: 0 })
        const outcome = "Events.get: no answer from the service after 1 attempt: fetch failed"
        assert.strictEqual(error.message, why === undefined ? outcome : `${outcome}: ${why}`)
      }
    })
  )

  it.effect("of 422 names every fault", () =>
    Effect.gen(function* () {
      const detail = [
        { loc: ["body", "size"], msg: "too large", type: "less_than_equal", input: 11, ctx: { le: 10 } },
        { loc: ["body", "filters", "type", 0], msg: "unknown", type: "enum" }
      ]
      const { error } = yield* failing(json({ detail }, { status: 422 }), create)
      assert.deepInclude(error, { _tag: "ValidationFailed", detail })
      assert.include(error.message, "body.size: too large; body.filters.type.0: unknown")
    })
  )

  it.effect("that is nested too deeply is reported like any other", () =>
    Effect.gen(function* () {
      const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`
      const refused = new Response(`{"detail":[{"loc":[],"msg":"no","type":"t","input":${deep}}]}`, { status: 422 })
      assert.strictEqual((yield* failing(refused, get)).error._tag, "ValidationFailed")
      const made = new Response(`{"asset":{"id":1,"name":"x","type":"secret","data":${deep}}}`)
      const { error } = yield* failing(made, create)
      assert.strictEqual(error._tag, "UnexpectedResponse")
      assert.include(error.message, "nested too deeply")
    })
  )

  it.effect("of 403 names the permission the operation needs", () =>
    Effect.gen(function* () {
      assert.deepInclude((yield* failing(v4(403), search)).error, { permission: "Read Tenant" })
      assert.deepInclude((yield* failing(v4(403), create)).error, { permission: "Write Tenant" })
      assert.deepInclude((yield* failing(v4(403), get)).error, { permission: "Read Tenant" })
    })
  )

  it.effect("of 200 that cannot be decoded is unexpected, says where, and is not requested again", () =>
    Effect.gen(function* () {
      for (const [body, reason] of [
        ["<!doctype html><p>Sign in", "HTML"],
        ['{"items":[{"id":1', "cut off"],
        ["", "empty"],
        [gzipSync('{"items":[],"next":null}'), "not text"],
        ['{"items":[{"id":"not-a-number","identity_name":"a","imported_at":"b"}],"next":null}', "items.0.id"],
        ['{"message":"accepted"}', "items"],
        ["[]", "it is not an object"],
        ["null", "it is not an object"]
      ] as const) {
        const { error, sent } = yield* failing(new Response(body), search)
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.include(error.message, reason)
        assert.notInclude(error.message, "not-a-number")
        assert.strictEqual(sent.length, 1)
      }
    })
  )

  it.effect("is read completely, wherever its chunks end, with or without a byte order mark", () =>
    Effect.gen(function* () {
      const identity_name = "zoë.🦊@example.com"
      const page = { items: [{ id: 1, identity_name, imported_at: "2026-01-01T00:00:00Z" }], next: null }
      const bytes = new TextEncoder().encode(`\uFEFF${JSON.stringify(page)}`)
      const parted = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        }
      })
      for (const body of [parted, bytes]) {
        const script = yield* makeScript(new Response(body))
        const found = yield* search.pipe(over(script.layer()))
        assert.deepStrictEqual(
          found.map((credential) => credential.identity_name),
          [identity_name]
        )
      }
    })
  )

  it.effect("of 200, 202 or 204 is a success for an operation without a result", () =>
    Effect.gen(function* () {
      for (const answer of [
        new Response("", { status: 200 }),
        new Response(null, { status: 204 }),
        new Response("accepted", { status: 202 }),
        json({ anything: 1 })
      ]) {
        const script = yield* makeScript(answer)
        yield* Effect.gen(function* () {
          const policies = yield* MatchingPolicies
          assert.isUndefined(yield* policies.assign("uuid", { identifier_ids: [1] }))
          assert.isUndefined(yield* policies.delete("uuid"))
          const reports = yield* Reports
          assert.isUndefined(yield* reports.create({ title: "a title" }))
        }).pipe(over(script.layer()))
        assert.deepStrictEqual(
          script.sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
          [
            "POST /svc/v4/matching-policies/uuid/assignments",
            "DELETE /svc/v4/matching-policies/uuid",
            "POST /svc/v2/reporting/reports"
          ]
        )
      }
    })
  )

  it.effect("of 200 that is HTML or an error is no success, also for an operation without a result", () =>
    Effect.gen(function* () {
      for (const answer of [
        new Response("<!doctype html><title>Sign in</title>"),
        json({ error: { code: "INTERNAL", message: "failed" } }),
        json({ errors: [{ message: "failed" }], data: null })
      ]) {
        const script = yield* makeScript(answer)
        const error = yield* Effect.flatMap(MatchingPolicies, (policies) => policies.delete("uuid")).pipe(
          Effect.flip,
          over(script.layer())
        )
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.lengthOf(script.sent, 1)
      }
      const script = yield* makeScript(json({ error: null, errors: [] }))
      yield* Effect.flatMap(MatchingPolicies, (policies) => policies.delete("uuid")).pipe(over(script.layer()))
    })
  )

  it.effect("reports the quota by the end of a header's name, on failures too", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        json(event),
        json(event, {
          headers: { "X-Acme-Global-Searches-Remaining": "41", "x-acme-GLOBAL-searches-batch-reached": "true" }
        }),
        json(event),
        refusal(429, "QUOTA_EXHAUSTED", "none left", {
          "x-other-global-searches-remaining": "0",
          "x-other-global-searches-batch-reached": "false",
          "retry-after": "3600"
        })
      )
      yield* Effect.gen(function* () {
        const api = yield* ApiClient
        yield* get
        assert.deepStrictEqual(yield* api.quota, { batchReached: undefined, searchesRemaining: undefined })
        yield* get
        assert.deepStrictEqual(yield* api.quota, { batchReached: true, searchesRemaining: 41 })
        yield* get
        assert.deepStrictEqual(yield* api.quota, { batchReached: true, searchesRemaining: 41 })
        yield* Effect.ignore(get)
        assert.deepStrictEqual(yield* api.quota, { batchReached: false, searchesRemaining: 0 })
      }).pipe(over(script.layer()))
    })
  )

  it.effect("reads a header that was sent twice, as a proxy may do", () =>
    Effect.gen(function* () {
      const headers = new Headers()
      for (const time of [0, 1]) {
        headers.append("X-Acme-Global-Searches-Remaining", `${41 - time}`)
        headers.append("X-Acme-Global-Searches-Batch-Reached", "true")
        headers.append("X-Acme-Request-Id", "one")
        headers.append("Retry-After", "2")
      }
      const script = yield* makeScript(
        json({ error: { code: "X", message: "wait" } }, { status: 429, headers }),
        refusal(400, "X", "no", Object.fromEntries(headers))
      )
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(get), { _tag: "ServiceFailure", requestId: "one" })
        const { quota } = yield* ApiClient
        assert.deepStrictEqual(yield* quota, { batchReached: true, searchesRemaining: 41 })
      }).pipe(over(script.layer()))
      assert.strictEqual(script.sent[1]?.at, 2000)
    })
  )
})

describe("a retry", () => {
  const withMiddlePauses = Effect.provideService(Random.Random, {
    nextDoubleUnsafe: () => 0.5,
    nextIntUnsafe: () => 0
  })

  it.effect("follows temporary failures, for searches and reads", () =>
    Effect.gen(function* () {
      for (const call of [get, search]) {
        for (const step of [408, 429, 502, 503].map((status) => refusal(status)).concat()) {
          assert.strictEqual((yield* failing(step, call)).sent.length, 5)
        }
        const { error, sent } = yield* failing(reset(), call)
        assert.strictEqual(sent.length, 5)
        assert.deepInclude(error, { _tag: "Unavailable", attempts: 5, status: undefined })
        assert.include(error.message, "ECONNRESET")
        assert.strictEqual((yield* failing(() => cutBody('{"items":['), call)).sent.length, 5)
      }
      assert.strictEqual((yield* failing(refusal(504), get)).sent.length, 5)
      assert.strictEqual((yield* failing(refusal(503), get, { retries: 2 })).sent.length, 3)
      assert.deepInclude((yield* failing(refusal(503), get)).error, { attempts: 5, status: 503 })
    })
  )

  it.effect("succeeds as soon as the service does", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(503), reset(), refusal(429), json(event))
      const found = yield* get.pipe(over(script.layer()))
      assert.strictEqual(found.event_type, "bucket")
      assert.strictEqual(script.sent.length, 4)
    })
  )

  it.effect("never follows permanent failures, or operations that change something", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 413, 422, 500, 501]) {
        assert.strictEqual((yield* failing(refusal(status), get)).sent.length, 1)
        assert.strictEqual((yield* failing(refusal(status), search)).sent.length, 1)
      }
      const assign = Effect.flatMap(MatchingPolicies, (policies) => policies.assign("uuid", { identifier_ids: [1] }))
      const remove = Effect.flatMap(MatchingPolicies, (policies) => policies.delete("uuid"))
      const report = Effect.flatMap(Reports, (reports) => reports.create({}))
      for (const call of [create, assign, remove, report]) {
        for (const step of [
          refusal(408),
          refusal(429),
          refusal(502),
          refusal(503),
          refusal(504),
          reset(),
          "stall"
        ] as const) {
          assert.strictEqual((yield* failing(step, call)).sent.length, 1)
        }
      }
    })
  )

  it.effect("waits twice as long each time", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(503))
      yield* get.pipe(withMiddlePauses, Effect.ignore, over(script.layer({ retryDelay: 1000 })))
      assert.deepStrictEqual(
        script.sent.map(({ at }) => at),
        [0, 1000, 3000, 7000, 15_000]
      )
    })
  )

  it.effect("varies its pauses by a fifth at most", () =>
    Effect.gen(function* () {
      const pauses: Array<number> = []
      for (let run = 0; run < 20; run++) {
        const script = yield* makeScript(refusal(503))
        yield* get.pipe(Effect.ignore, over(script.layer({ retries: 1, retryDelay: 1000 })))
        pauses.push((script.sent[1]?.at ?? 0) - (script.sent[0]?.at ?? 0))
      }
      assert.isTrue(
        pauses.every((pause) => pause >= 800 && pause <= 1225),
        pauses.join()
      )
      assert.isTrue(new Set(pauses).size > 1)
    })
  )

  it.effect("waits at least as long as Retry-After says, in seconds or as a date", () =>
    Effect.gen(function* () {
      for (const [header, expected] of [
        ["7", 7000],
        [new Date(9000).toUTCString(), 9000],
        ["0", 250],
        ["soon", 250]
      ] as const) {
        yield* TestClock.setTime(0)
        const script = yield* makeScript(refusal(503, "A", "b", { "retry-after": header }), json(event))
        yield* get.pipe(withMiddlePauses, over(script.layer()))
        assert.strictEqual(script.sent[1]?.at, expected, header)
      }
    })
  )

  it.effect("waits ten seconds after a 429 that names no time, and never more than thirty", () =>
    Effect.gen(function* () {
      for (const [step, options, pause] of [
        [refusal(429), {}, 10_000],
        [refusal(429), { retryDelay: 5000 }, 10_000],
        [refusal(429, "RATE_LIMITED", "slow down", { "retry-after": "60" }), {}, 30_000],
        [refusal(503), { retryDelay: 100_000 }, 30_000]
      ] as const) {
        yield* TestClock.setTime(0)
        const script = yield* makeScript(step, json(event))
        yield* get.pipe(over(script.layer(options)))
        assert.strictEqual(script.sent[1]?.at, pause)
      }
    })
  )

  it.effect("does not follow a spent quota, whatever its code", () =>
    Effect.gen(function* () {
      const spent = { "x-any-global-searches-remaining": "0" }
      for (const step of [
        refusal(429, "QUOTA_EXHAUSTED", "none left"),
        refusal(429, "QUOTA_EXHAUSTED", "none left", { "retry-after": "1" }),
        refusal(429, "RATELIMIT_REACHED", "The monthly quota of searches is used up"),
        refusal(429, "RATELIMIT_REACHED", "too many", spent)
      ]) {
        const { error, sent } = yield* failing(step, search)
        assert.strictEqual(sent.length, 1)
        assert.deepInclude(error, { _tag: "RateLimited", isQuotaSpent: true })
      }
      const script = yield* makeScript(json({ items: [], next: null }, { headers: spent }), refusal(429))
      const { error } = yield* Effect.gen(function* () {
        yield* search
        return { error: yield* Effect.flip(search) }
      }).pipe(over(script.layer()))
      assert.deepInclude(error, { _tag: "RateLimited", isQuotaSpent: true })
      assert.strictEqual(script.sent.length, 2)
      // Other calls cost no quota.
      const other = yield* makeScript(refusal(429, "RATELIMIT_REACHED", "too many", spent), json(event))
      yield* get.pipe(over(other.layer()))
      assert.strictEqual(other.sent.length, 2)
    })
  )

  it.effect("fails at once if the service asks for more time than the call has", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing(refusal(429, "RATE_LIMITED", "slow down", { "retry-after": "3600" }), get)
      assert.strictEqual(sent.length, 1)
      assert.deepInclude(error, {
        _tag: "RateLimited",
        retryAfter: 3600,
        code: "RATE_LIMITED",
        message: "slow down: try again in 3600 s"
      })
    })
  )

  it.effect("of a limit that stays until the deadline ends as a limit, also for calls that were not sent", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(429))
      const exits = yield* Effect.replicateEffect(Effect.flip(search), 4, { concurrency: 4 }).pipe(
        over(script.layer({ deadline: 12_000 }))
      )
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        ["RateLimited", "RateLimited", "RateLimited", "RateLimited"]
      )
      assert.isTrue(exits.some(({ attempts }) => attempts === 0))
    })
  )

  it.effect("of a 429 keeps other calls of the tier back, and no others", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(429), json(event), json({ items: [], next: null }))
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(search)
        yield* settle
        const second = yield* Effect.forkChild(search)
        yield* get
        yield* Effect.all([Fiber.join(first), Fiber.join(second)])
      }).pipe(over(script.layer()))
      const timesOf = (method: string) => script.sent.filter((sent) => sent.method === method).map(({ at }) => at)
      assert.deepStrictEqual(timesOf("GET"), [0])
      const [, again = 0, next = 0] = timesOf("POST")
      assert.isAtLeast(again, 10_000)
      assert.isAtLeast(next - again, 1000)
    })
  )

  it.effect("fails at once if the wait after a 429 is longer than the call has", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing(refusal(429, "RATE_LIMITED", "slow down"), get, { deadline: 9000 })
      assert.strictEqual(sent.length, 1)
      assert.deepInclude(error, { _tag: "RateLimited", retryAfter: undefined, message: "slow down" })
    })
  )
})

describe("time", () => {
  it.effect("limits one attempt, the body included", () =>
    Effect.gen(function* () {
      for (const step of [
        "stall",
        (sent) => stalledBody('{"event_type":', sent.signal)
      ] satisfies ReadonlyArray<Step>) {
        const script = yield* makeScript(step, json(event))
        const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        yield* get.pipe(over(script.layer({ timeout: 2000, retryDelay: 0 })))
        assert.strictEqual(script.sent.length, 2)
        assert.strictEqual((script.sent[1]?.at ?? 0) - begun, 2000)
        assert.isTrue(script.sent[0]?.signal.aborted)
      }
    })
  )

  it.effect("runs out for every attempt: unavailable, with the cause", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing("stall", get, { timeout: 1000, retries: 2 })
      assert.strictEqual(sent.length, 3)
      assert.deepInclude(error, { _tag: "Unavailable", attempts: 3, status: undefined })
      assert.include(error.message, "1000 ms")
    })
  )

  it.effect("limits one call with its retries, and aborts the request in flight", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing("stall", get, { timeout: 2000, deadline: 5000, retryDelay: 0 })
      assert.deepInclude(error, { _tag: "TimedOut", deadline: 5000 })
      assert.strictEqual(sent.length, 3)
      assert.isTrue(sent.every(({ signal }) => signal.aborted))
      const slow = yield* failing((sent) => stalledBody("{", sent.signal), create, { timeout: 9000, deadline: 5000 })
      assert.strictEqual(slow.error._tag, "TimedOut")
      assert.isTrue(slow.sent[0]?.signal.aborted)
    })
  )

  it.effect("runs out while a pause lasts, too", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing(refusal(503), get, { deadline: 500, retryDelay: 400 })
      assert.deepInclude(error, { _tag: "TimedOut", deadline: 500 })
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("ends with the caller: an interruption aborts the request", () =>
    Effect.gen(function* () {
      const script = yield* makeScript("stall")
      const fiber = yield* Effect.forkChild(get.pipe(Effect.provide(script.layer())))
      yield* settle
      assert.isFalse(script.sent[0]?.signal.aborted)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(script.sent[0]?.signal.aborted)
    })
  )
})

describe("a redirect", () => {
  const to = (location: string, status = 307) => new Response(null, { status, headers: { location } })

  it.effect("is never followed by fetch itself", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      yield* get.pipe(over(script.layer()))
      assert.strictEqual(script.sent[0]?.redirect, "manual")
    })
  )

  it.effect("to another origin is refused, and nothing is sent there", () =>
    Effect.gen(function* () {
      for (const location of [
        "https://evil.example.net/svc/v4/events/",
        "http://api.example.com/svc/v4/events/",
        "https://api.example.com:8443/",
        "//evil.example.net/",
        "https://api.example.com@evil.example.net/"
      ]) {
        for (const status of [301, 302, 303, 307, 308]) {
          for (const call of [get, create, search]) {
            const { error, sent } = yield* failing(to(location, status), call)
            assert.strictEqual(error._tag, "UnexpectedResponse")
            assert.include(error.message, "another origin")
            assert.strictEqual(sent.length, 1)
          }
        }
      }
    })
  )

  it.effect("inside the origin is followed for a read, with method, body and token", () =>
    Effect.gen(function* () {
      for (const status of [301, 302, 307, 308]) {
        const location = status < 307 ? "/elsewhere?a=%2F" : "https://a:b@api.example.com/elsewhere?a=%2F#c"
        const script = yield* makeScript(to(location, status), json({ items: [], next: null }))
        yield* search.pipe(over(script.layer()))
        const [first, second] = script.sent
        assert.strictEqual(second?.url, "https://api.example.com/elsewhere?a=%2F")
        assert.deepStrictEqual(second?.headers, first?.headers)
        assert.deepStrictEqual(second?.body, first?.body)
        assert.strictEqual(second?.method, "POST")
      }
    })
  )

  it.effect("is followed for a create only if it keeps the body", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        to("/elsewhere", 308),
        json({ asset: { id: 1, name: "example.com", type: "domain" } })
      )
      yield* create.pipe(over(script.layer()))
      assert.strictEqual(script.sent.length, 2)
      for (const status of [301, 302, 303]) {
        const { error, sent } = yield* failing(to("/elsewhere", status), create)
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.strictEqual(sent.length, 1)
      }
    })
  )

  it.effect("is refused if it is endless, has no address, or is hidden by a browser", () =>
    Effect.gen(function* () {
      const endless = yield* failing(to("/again"), get)
      assert.strictEqual(endless.error._tag, "UnexpectedResponse")
      assert.strictEqual(endless.sent.length, 6)
      assert.strictEqual((yield* failing(new Response(null, { status: 302 }), get)).error._tag, "UnexpectedResponse")
      // The opaque response of `fetch` in a browser for a redirect that it was told not to follow.
      const opaque = Object.defineProperty(Response.error(), "clone", { value: () => Response.error() })
      const { error } = yield* failing(opaque, get)
      assert.strictEqual(error._tag, "UnexpectedResponse")
      assert.include(error.message, "redirect")
    })
  )
})

describe("the rate", () => {
  it.effect("is limited separately for each tier, across concurrent calls", () =>
    Effect.gen(function* () {
      const script = yield* makeScript((sent) =>
        sent.method === "GET" ? json(event) : json({ items: [], next: null })
      )
      const both = Effect.all(
        [Effect.replicateEffect(get, 5, { concurrency: 5 }), Effect.replicateEffect(search, 3, { concurrency: 3 })],
        { concurrency: 2 }
      )
      yield* both.pipe(over(script.layer({ rateLimits: { search: 1, basic: 4 } })))
      const timesOf = (method: string) => script.sent.filter((sent) => sent.method === method).map(({ at }) => at)
      assert.deepStrictEqual(timesOf("GET"), [0, 250, 500, 750, 1000])
      assert.deepStrictEqual(timesOf("POST"), [0, 1000, 2000])
    })
  )

  it.effect("gives the slots of calls that were aborted while they waited to the next", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      yield* Effect.gen(function* () {
        const aborted = yield* Effect.forkChild(Effect.replicateEffect(get, 100, { concurrency: "unbounded" }))
        yield* TestClock.adjust(1500)
        yield* settle
        yield* Fiber.interrupt(aborted)
        assert.strictEqual(script.sent.length, 2)
        yield* get
      }).pipe(over(script.layer({ rateLimits: { basic: 1 } })))
      assert.deepStrictEqual(
        script.sent.map(({ at }) => at),
        [0, 1000, 2000]
      )
    })
  )

  it.effect("is waited for within the deadline", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      const errors = yield* Effect.replicateEffect(Effect.exit(get), 4, { concurrency: 4 }).pipe(
        over(script.layer({ rateLimits: { basic: 0.5 }, deadline: 3000 }))
      )
      assert.strictEqual(errors.filter(Exit.isSuccess).length, 2)
      for (const exit of errors) {
        if (Exit.isFailure(exit)) assert.deepInclude(Cause.squash(exit.cause), { _tag: "TimedOut", attempts: 0 })
      }
      assert.strictEqual(script.sent.length, 2)
    })
  )

  it.effect("does not delay calls when a clock is set back", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      const durations: Array<number> = []
      yield* TestClock.setTime(3_600_000)
      yield* Effect.gen(function* () {
        yield* get
        yield* TestClock.setTime(0)
        yield* get
      }).pipe(
        over(
          script.layer({ rateLimits: { basic: 1 }, onResponse: ({ durationMs }) => void durations.push(durationMs) })
        )
      )
      assert.deepStrictEqual(
        script.sent.map(({ at }) => at),
        [3_600_000, 1000]
      )
      assert.deepStrictEqual(durations, [0, 0])
    })
  )

  it.effect("counts a retry too", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(503), json(event))
      yield* get.pipe(over(script.layer({ retryDelay: 0, rateLimits: { basic: 0.5 } })))
      assert.strictEqual(script.sent[1]?.at, 2000)
    })
  )
})

describe("a token", () => {
  const bearers = (sent: ReadonlyArray<{ readonly headers: Readonly<Record<string, string>> }>) =>
    sent.map(({ headers }) => headers["authorization"])
  const numbered = () => {
    let asked = 0
    return { ask: () => `token-${++asked}`, asked: () => asked }
  }

  it.effect("that is constant cannot be renewed: a 401 is final", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* failing(refusal(401), get)
      assert.strictEqual(error._tag, "Unauthorized")
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("of a function is requested once, and once more after a 401", () =>
    Effect.gen(function* () {
      const source = numbered()
      const script = yield* makeScript(json(event), json(event), refusal(401), json(event), json(event))
      yield* Effect.replicateEffect(get, 4).pipe(over(script.layer({ token: async () => source.ask() })))
      assert.deepStrictEqual(bearers(script.sent), [
        "Bearer token-1",
        "Bearer token-1",
        "Bearer token-1",
        "Bearer token-2",
        "Bearer token-2"
      ])
    })
  )

  it.effect("is renewed for a create too, because the create was not executed", () =>
    Effect.gen(function* () {
      const source = numbered()
      const script = yield* makeScript(refusal(401), json({ asset: { id: 1, name: "example.com", type: "domain" } }))
      yield* create.pipe(over(script.layer({ token: source.ask })))
      assert.strictEqual(source.asked(), 2)
    })
  )

  it.effect("that is refused twice in one call is final", () =>
    Effect.gen(function* () {
      const source = numbered()
      const { error, sent } = yield* failing(refusal(401), get, { token: source.ask })
      assert.strictEqual(error._tag, "Unauthorized")
      assert.strictEqual(sent.length, 2)
      assert.strictEqual(source.asked(), 2)
    })
  )

  it.effect("is renewed once for all calls that met the same 401", () =>
    Effect.gen(function* () {
      const source = numbered()
      const script = yield* makeScript((sent) =>
        sent.headers["authorization"] === "Bearer token-1" ? refusal(401) : json(event)
      )
      yield* Effect.replicateEffect(get, 20, { concurrency: 20 }).pipe(
        over(script.layer({ token: () => new Promise<string>((resolve) => setImmediate(() => resolve(source.ask()))) }))
      )
      assert.strictEqual(source.asked(), 2)
      assert.strictEqual(script.sent.length, 40)
    })
  )

  it.effect("that cannot be obtained is requested once, and Unauthorized for every waiting call", () =>
    Effect.gen(function* () {
      let asked = 0
      const script = yield* makeScript(json(event))
      const token = async () => {
        asked++
        await new Promise((resolve) => setImmediate(resolve))
        throw new Error("the vault at hunter2 is closed")
      }
      const errors = yield* Effect.replicateEffect(Effect.flip(get), 5, { concurrency: 5 }).pipe(
        over(script.layer({ token }))
      )
      assert.isTrue(errors.every(({ _tag }) => _tag === "Unauthorized"))
      assert.notInclude(inspect(errors, { depth: 9 }), "hunter2")
      assert.strictEqual(asked, 1)
      assert.strictEqual(script.sent.length, 0)
    })
  )

  it.effect("with characters that a header cannot contain is refused without being shown", () =>
    Effect.gen(function* () {
      for (const token of ["", "  ", "two\nlines-of-secret", "smart”quote-of-secret"]) {
        const { error, sent } = yield* failing(json(event), get, { token: () => token })
        assert.strictEqual(error._tag, "Unauthorized")
        assert.notInclude(inspect(error), "of-secret")
        assert.strictEqual(sent.length, 0)
      }
    })
  )

  describe("from an API key", () => {
    const isExchange = (url: string) => url.endsWith("/tokens/generate")
    const exchanging = () => {
      let given = 0
      return (sent: { readonly url: string }) =>
        isExchange(sent.url) ? json({ token: `token-${++given}`, refresh_token_exp: 1_700_000_000 }) : json(event)
    }

    it.effect("is requested outside the prefix, with the key without a scheme", () =>
      Effect.gen(function* () {
        const script = yield* makeScript(exchanging())
        yield* Effect.replicateEffect(get, 2).pipe(
          over(script.layer({ baseUrl: "https://api.example.com/base", apiKey: "a-key", tenantId: 12 }))
        )
        const [exchange, first] = script.sent
        assert.deepInclude(exchange, {
          method: "POST",
          url: "https://api.example.com/base/tokens/generate",
          body: { tenant_id: 12 }
        })
        assert.strictEqual(exchange?.headers["authorization"], "a-key")
        assert.strictEqual(first?.headers["authorization"], "Bearer token-1")
        assert.strictEqual(script.sent.length, 3)
      })
    )

    it.effect("needs no body without a tenant", () =>
      Effect.gen(function* () {
        const script = yield* makeScript(exchanging())
        yield* get.pipe(over(script.layer({ apiKey: "a-key" })))
        assert.isUndefined(script.sent[0]?.body)
      })
    )

    it.effect("is renewed after 45 minutes, and once on a 401", () =>
      Effect.gen(function* () {
        const exchange = exchanging()
        let isRefusing = false
        const script = yield* makeScript((sent) => {
          if (!isRefusing || isExchange(sent.url)) return exchange(sent)
          isRefusing = false
          return refusal(401)
        })
        yield* finish(
          Effect.gen(function* () {
            yield* get
            yield* TestClock.adjust("44 minutes")
            yield* get
            yield* TestClock.adjust("1 minute")
            yield* get
            isRefusing = true
            yield* get
          }).pipe(Effect.provide(script.layer({ apiKey: "a-key" })))
        )
        assert.deepStrictEqual(
          script.sent.map(({ headers }) => headers["authorization"]),
          [
            "a-key",
            "Bearer token-1",
            "Bearer token-1",
            "a-key",
            "Bearer token-2",
            "Bearer token-2",
            "a-key",
            "Bearer token-3"
          ]
        )
      })
    )

    it.effect("is requested once for concurrent calls", () =>
      Effect.gen(function* () {
        const script = yield* makeScript(exchanging())
        yield* Effect.replicateEffect(get, 10, { concurrency: 10 }).pipe(over(script.layer({ apiKey: "a-key" })))
        assert.strictEqual(script.sent.filter(({ url }) => isExchange(url)).length, 1)
      })
    )

    it.effect("that is refused, or answered with something else, is Unauthorized and not requested again", () =>
      Effect.gen(function* () {
        for (const answer of [refusal(401), refusal(403), json({}), new Response("<html>"), json({ token: "" })]) {
          const { error, sent } = yield* failing(answer, get, { apiKey: "a-key" })
          assert.strictEqual(error._tag, "Unauthorized")
          assert.strictEqual(error.operation, "Events.get")
          assert.strictEqual(sent.length, 1)
        }
      })
    )

    it.effect("has its own retries, for which a create waits too", () =>
      Effect.gen(function* () {
        const asset = { id: 1, name: "example.com", type: "domain" }
        for (const [call, answer] of [
          [Effect.asVoid(get), json(event)],
          [Effect.asVoid(create), json({ asset })]
        ] as const) {
          const script = yield* makeScript(refusal(503), reset(), json({ token: "token-1" }), answer)
          yield* call.pipe(over(script.layer({ apiKey: "a-key" })))
          assert.strictEqual(script.sent.length, 4)
          const { error, sent } = yield* failing(refusal(503), call, { apiKey: "a-key", retries: 2 })
          assert.deepInclude(error, { _tag: "Unavailable", status: 503, attempts: 3 })
          assert.isTrue(sent.every(({ url }) => isExchange(url)))
          assert.strictEqual(sent.length, 3)
        }
      })
    )

    it.effect("does not reduce the page size if its request fails or stalls", () =>
      Effect.gen(function* () {
        for (const failure of [refusal(504), "stall"] as const) {
          const script = yield* makeScript(
            failure,
            failure,
            json({ token: "token-1" }),
            json({ items: [], next: null })
          )
          yield* Effect.flatMap(Credentials, (credentials) =>
            Stream.runDrain(credentials.search({ query: { type: "domain", fqdn: "example.com" }, size: 10_000 }))
          ).pipe(over(script.layer({ apiKey: "a-key", timeout: 1000 })))
          assert.strictEqual(script.sent.length, 4)
          assert.deepInclude(Object(script.sent[3]?.body), { size: 10_000 })
          assert.isAbove((script.sent[1]?.at ?? 0) - (script.sent[0]?.at ?? 0), 0)
        }
      })
    )

    it.effect("is not sent to another origin, and the error says which call and page needed it", () =>
      Effect.gen(function* () {
        const away = new Response(null, {
          status: 307,
          headers: { location: "https://evil.example.net/", "x-word-request-id": "r-1" }
        })
        const { error, sent } = yield* failing(away, search, { apiKey: "a-key" })
        assert.deepInclude(error, {
          _tag: "UnexpectedResponse",
          operation: "Credentials.search",
          from: null,
          status: 307,
          requestId: "r-1",
          attempts: 1
        })
        assert.strictEqual(sent.length, 1)
      })
    )

    it.effect("that is refused names status and request id", () =>
      Effect.gen(function* () {
        const { error } = yield* failing(refusal(403, "A", "b", { "x-request-id": "r-2" }), get, { apiKey: "a-key" })
        assert.deepInclude(error, { _tag: "Unauthorized", status: 403, requestId: "r-2" })
      })
    )
  })
})

describe("an error", () => {
  it.effect("contains status, attempts, and the request id of any header that ends in request-id", () =>
    Effect.gen(function* () {
      for (const name of ["request-id", "X-Request-Id", "x-word-request-id"]) {
        for (const status of [400, 401, 403, 404, 418, 422, 429, 500, 503]) {
          const { error } = yield* failing(refusal(status, "A", "b", { [name]: "r-7" }), get, {
            retries: 1,
            retryDelay: 0
          })
          assert.deepInclude(error, { status, requestId: "r-7", attempts: status === 429 || status === 503 ? 2 : 1 })
        }
        const unreadable = new Response("<html>", { headers: { [name]: "r-8" } })
        const { error } = yield* failing(unreadable, get)
        assert.deepInclude(error, { _tag: "UnexpectedResponse", status: 200, requestId: "r-8", attempts: 1 })
      }
      const { error } = yield* failing(reset(), get, { retries: 0 })
      assert.deepInclude(error, { status: undefined, requestId: undefined, attempts: 1 })
    })
  )

  it.effect("does not repeat a request id that contains a secret, or is invalid", () =>
    Effect.gen(function* () {
      for (const id of ["x-a-token-y", "two words", "x".repeat(500)]) {
        const { error } = yield* failing(refusal(500, "A", "b", { "x-request-id": id }), get)
        assert.notInclude(inspect(error), "a-token")
        assert.isTrue(error.requestId === undefined || error.requestId === "x-<redacted>-y")
      }
    })
  )

  it.effect("shows the line that called the client, also of a listing", () =>
    Effect.gen(function* () {
      for (const call of [get, search, create]) {
        const { error } = yield* failing(refusal(404), call)
        assert.match(String(error.stack).split("\n")[1] ?? "", /Transport\.test\.ts:\d+/u)
      }
    })
  )

  it.effect("is distinguished by its class", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(refusal(429, "A", "b", { "retry-after": "7" }), get, { retries: 0 })
      assert.isTrue(isApiError(error))
      assert.instanceOf(error, RateLimited)
      assert.isFalse(isApiError(new Error("another")))
      assert.isFalse(isApiError({ ...error }))
      assert.match(inspect(error), /^RateLimited: b: try again in 7 s\n[^]*at /u)
    })
  )
})

describe("a call", () => {
  it.effect("has its own limits if it is given some", () =>
    Effect.gen(function* () {
      const limited = (limits: { timeout?: number; deadline?: number; retries?: number }) =>
        Effect.provideService(get, CallOptions, limits)
      assert.strictEqual((yield* failing(refusal(503), limited({ retries: 1 }))).sent.length, 2)
      assert.strictEqual((yield* failing("stall", limited({ timeout: 10, retries: 0 }))).error._tag, "Unavailable")
      assert.deepInclude((yield* failing("stall", limited({ deadline: 20 }))).error, { _tag: "TimedOut", deadline: 20 })
      const stream = Effect.flatMap(Events, (events) =>
        Stream.runDrain(Stream.provideService(events.search(), CallOptions, { retries: 0 }))
      )
      assert.strictEqual((yield* failing(refusal(503), stream)).sent.length, 1)
      for (const limits of [{ timeout: 0 }, { deadline: Number.NaN }, { retries: -1 }]) {
        const { error, sent } = yield* failing(json(event), limited(limits))
        assert.deepInclude(error, { _tag: "RequestInvalid", operation: "Events.get", attempts: 0 })
        assert.strictEqual(sent.length, 0)
      }
    })
  )

  it.effect("is observed answer by answer, without headers, body and query", () =>
    Effect.gen(function* () {
      const seen: Array<ResponseInfo> = []
      const script = yield* makeScript(
        json({ token: "token-1" }),
        refusal(503),
        reset(),
        json(event, { headers: { "x-request-id": "r-1", "x-word-global-searches-remaining": "5" } })
      )
      yield* get.pipe(
        over(script.layer({ apiKey: "a-key", retryDelay: 0, onResponse: (info) => void seen.push(info) }))
      )
      const one = { requestId: undefined, searchesRemaining: undefined, durationMs: 0 }
      const path = "/v4/events/"
      assert.deepStrictEqual(seen, [
        { ...one, operation: "Tokens.generate", method: "POST", path: "/tokens/generate", status: 200, attempt: 1 },
        { ...one, operation: "Events.get", method: "GET", path, status: 503, attempt: 1 },
        {
          ...one,
          operation: "Events.get",
          method: "GET",
          path,
          status: 200,
          attempt: 3,
          requestId: "r-1",
          searchesRemaining: 5
        }
      ])
    })
  )

  it.effect("fails with the error of its observer", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json(event))
      const onResponse = () => {
        throw new Error("of the observer")
      }
      const exit = yield* Effect.exit(get).pipe(over(script.layer({ onResponse })))
      assert.isTrue(Exit.isFailure(exit) && String(Cause.squash(exit.cause)).includes("of the observer"))
      assert.strictEqual(script.sent.length, 1)
    })
  )
})

describe("a secret that was sent", () => {
  const password = 'correct "horse"/battery & staple é'
  const token = "tok-5f2c1d/+=secret"
  const bySecret = Effect.flatMap(Credentials, (credentials) =>
    Stream.runDrain(credentials.search({ query: { type: "secret", secret: password } }))
  )
  const encodings = [
    password,
    JSON.stringify(password),
    encodeURIComponent(password),
    new URLSearchParams({ q: password }).toString(),
    Buffer.from(password).toString("base64"),
    Buffer.from(`{"password":"${password}"}`).toString("base64"),
    Buffer.from(`x${password}yz`).toString("base64url"),
    password.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    Buffer.from(`x${password}`).toString("hex"),
    token,
    `Bearer ${encodeURIComponent(token)}`
  ]
  const pieces = [
    "horse",
    "battery",
    "5f2c1d",
    Buffer.from(password).toString("base64").slice(8, 24),
    Buffer.from("horse").toString("hex")
  ]

  it.effect("is removed from what the service echoes, in any encoding", () =>
    Effect.gen(function* () {
      for (const echo of encodings) {
        const bodies = [
          json(
            {
              detail: [
                {
                  loc: ["body", "query", "secret"],
                  msg: `bad value ${echo}`,
                  type: `value_error.${echo}`,
                  input: { query: { secret: echo, [echo]: [echo] } },
                  ctx: { error: echo, [echo]: 1, nested: { deep: [echo] } }
                }
              ]
            },
            { status: 422 }
          ),
          json({ message: `no: ${echo}`, code: echo }, { status: 400 }),
          refusal(409, echo, `no: ${echo}`),
          refusal(503, echo, `no: ${echo}`),
          refusal(429, echo, `no: ${echo}`, { "retry-after": "9999" }),
          json({ items: [{ id: echo }], next: null }),
          new Response(`{"items": ${echo}`),
          new TypeError(`cannot send ${echo}`, { cause: new Error(`because of ${echo}`) })
        ]
        for (const body of bodies) {
          const { error } = yield* failing(body, bySecret, { token, retries: 0 })
          const everything = [
            inspect(error, { depth: 20, showHidden: true }),
            JSON.stringify(error),
            String(error),
            error.message,
            error.stack,
            inspect(error.cause, { showHidden: true })
          ].join("\n")
          for (const piece of pieces) assert.notInclude(everything, piece)
        }
      }
    })
  )

  it.effect("is removed from the id of the request and from the names in an answer, if it is the token", () =>
    Effect.gen(function* () {
      const secret = "t0kenPlanted123456789"
      const headers = { "x-request-id": secret, "content-encoding": secret }
      const seen: Array<ResponseInfo> = []
      const answers = [
        json({ items: [{ id: 1, known_password_id: "no" }], next: null }, { headers }),
        json({ items: [], next: "again" }, { headers }),
        json({ [secret]: 1 }, { headers }),
        json({ items: [{ id: 1, source: { pii_tags: { [secret]: 1 } } }], next: null }, { headers }),
        new Response("\u0001", { headers }),
        json({}, { status: 503, headers })
      ]
      for (const answer of answers) {
        const options = { token: secret, retries: 0, onResponse: (info: ResponseInfo) => void seen.push(info) }
        const { error } = yield* failing(answer, bySecret, options)
        assert.notInclude(inspect([error, seen], { depth: 20, showHidden: true }), "Planted")
        assert.strictEqual(error.requestId, "<redacted>")
      }
    })
  )

  it.effect("is removed if it is a password or the value of an identifier", () =>
    Effect.gen(function* () {
      const echo = (sent: { readonly body: unknown }) =>
        json({ message: JSON.stringify(sent.body), code: "BAD" }, { status: 400 })
      const byPassword = Effect.flatMap(Events, (events) =>
        Stream.runDrain(
          events.search({ query: { type: "credentials", username: "someone", password: "correct-horse" } })
        )
      )
      const named = Effect.flatMap(Identifiers, (identifiers) =>
        identifiers.createV2({ type: "secret", name: "correct-horse" })
      )
      const inData = Effect.flatMap(Identifiers, (identifiers) =>
        identifiers.createV2({ type: "secret", name: "the deploy key", data: { secret: "correct-horse" } })
      )
      for (const call of [byPassword, named, inData]) {
        const { error, sent } = yield* failing(echo, call)
        assert.include(JSON.stringify(sent[0]?.body), "correct-horse")
        assert.strictEqual(error._tag, "V2Failure")
        assert.notInclude(inspect(error), "correct-horse")
        assert.include(error.message, "<redacted>")
      }
    })
  )

  it.effect("is removed together with every token that the call used, and the API key", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        json({ token: "first-token" }),
        refusal(401),
        json({ token: "second-token" }),
        json({ message: "first-token second-token the-api-key", code: "BAD" }, { status: 400 })
      )
      const error = yield* Effect.flip(get).pipe(over(script.layer({ apiKey: "the-api-key" })))
      assert.strictEqual(error.message, "<redacted> <redacted> <redacted>")
    })
  )
})

/** A run when the service refuses, fails or runs out of quota: a value that was not searched is never called clean. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect } from "effect"
import type { Fault } from "./action/RealService.ts"
import { run, runBundle } from "./action/Runner.ts"
import {
  annotationsIn,
  assertNothingSlipped,
  calm,
  configWith,
  connected,
  planted,
  pullRequestWith,
  Service
} from "./action/Scene.ts"

const quotaSpent = {
  status: 429,
  headers: { "content-type": "application/json", "retry-after": "86400", "x-global-searches-remaining": "0" },
  body: JSON.stringify({ error: { code: "QUOTA_EXHAUSTED", message: "The quota of global searches is spent" } })
}

layer(Service.layer, { excludeTestServices: true })("faults", (it) => {
  it.effect("a token that is refused, or lacks the permission, fails the step whatever the inputs say", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      const lenient = { "fail-on": "none", "on-incomplete": "warn" }
      for (const [token, what] of [
        ["no-such-token", /token/u],
        [service.powerless, /Read Tenant/u]
      ] as const) {
        const done = yield* run({ ...job, inputs: { ...connected(service), ...lenient, token } })
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "incomplete", leaks: "0", unsearched: "1" })
        assert.match(annotationsIn(done, "error")[0]?.message ?? "", what)
        assert.notInclude(done.everything, "no-such-token")
        // A failure of both kinds of search is one reason, in words that need no knowledge of the client.
        assert.notMatch(done.everything, /(?:Credentials|Events)\.search/u)
        assertNothingSlipped(done, service)
      }
    })
  )

  it.effect("if a token is revoked midway, or loses its permission, no earlier leak is lost", () =>
    Effect.gen(function* () {
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      for (const [status, what] of [
        [401, /token/u],
        [403, /Read Tenant/u]
      ] as const) {
        const service = yield* calm
        service.misbehave(({ index }) => (index >= 4 ? { status } : undefined))
        const done = yield* run({
          ...job,
          inputs: {
            ...connected(service),
            "fail-on": "none",
            secrets: `DEPLOY=${planted.named}\nSPARE=${planted.clean}`,
            domains: "leaky.example"
          }
        })
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", unsearched: "1" })
        assert.include(done.summary, "DEPLOY")
        assert.isTrue(annotationsIn(done, "error").some(({ message }) => what.test(message)))
        assertNothingSlipped(done, service)
      }
    })
  )

  it.effect("the quota running out midway leaves an incomplete verdict that names the quota", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const others = Array.from({ length: 4 }, (_, n) => `${planted.clean}${n}`)
      service.misbehave(({ index }) => (index >= 4 ? quotaSpent : undefined))
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean, ...others) }),
        inputs: connected(service)
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "incomplete", leaks: "0" })
      assert.isAbove(Number(done.outputs["unsearched"]), 0)
      assert.match(done.summary, /quota/iu)
      assertNothingSlipped(done, service)
    })
  )

  it.effect("what leaked before the quota ran out still counts", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      // Selected by the searched value, not by number: concurrent searches may arrive in any order.
      service.misbehave(({ body }) => (body.includes("leaky.example") ? quotaSpent : undefined))
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        inputs: {
          ...connected(service),
          secrets: `DEPLOY=${planted.named}\nSPARE=${planted.clean}`,
          domains: "leaky.example"
        }
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", unsearched: "1" })
    })
  )

  it.effect("quota-reserve stops while so many units remain", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* run({
        ...pullRequestWith(repository, {
          "a.env": configWith(planted.clean, `${planted.clean}x`, `${planted.clean}y`, `${planted.clean}z`)
        }),
        inputs: { ...connected(service), "quota-reserve": "100000000" }
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "incomplete" })
      assert.isAtMost(Number(done.outputs["searches"]), 4)
      assert.include(done.summary, "quota-reserve")
    })
  )

  const broken: ReadonlyArray<readonly [string, Fault]> = [
    ["500", () => ({ status: 500, body: "<html>oops</html>" })],
    [
      "a body that is cut off",
      () => ({ status: 200, headers: { "content-type": "application/json" }, body: '{"items":[' })
    ],
    ["a redirect elsewhere", () => ({ status: 307, headers: { location: "https://example.com/" } })],
    ["422", () => ({ status: 422, headers: { "content-type": "application/json" }, body: '{"detail":[]}' })]
  ]
  for (const [name, fault] of broken) {
    it.effect(`a service that answers ${name} leaves an incomplete verdict`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const repository = yield* testRepository
        service.misbehave(fault)
        const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
        const done = yield* run({ ...job, inputs: connected(service) })
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "incomplete", leaks: "0", unsearched: "1" })
        assert.notInclude(done.summary, "oops")
        assertNothingSlipped(done, service)
        const warned = yield* run({ ...job, inputs: { ...connected(service), "on-incomplete": "warn" } })
        assert.strictEqual(warned.exitCode, 0)
        assert.deepInclude(warned.outputs, { verdict: "incomplete" })
      })
    )
  }

  it.effect("a service that cannot be reached, recovers, or echoes what it was sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      const gone = yield* run({ ...job, inputs: { ...connected(service), "base-url": "http://127.0.0.1:9" } })
      assert.strictEqual(gone.exitCode, 1)
      assert.deepInclude(gone.outputs, { verdict: "incomplete", unsearched: "1" })

      let failures = 2
      service.misbehave(() => (failures-- > 0 ? { status: 503 } : undefined))
      const recovered = yield* run({ ...job, inputs: connected(service) })
      assert.deepInclude(recovered.outputs, { verdict: "leaked", searches: "2" })

      service.misbehave(({ body }) => ({
        status: 400,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: `cannot take ${body}`, code: "NO" })
      }))
      const echoed = yield* run({ ...job, inputs: connected(service) })
      assert.deepInclude(echoed.outputs, { verdict: "incomplete" })
      assertNothingSlipped(echoed, service)
    })
  )

  it.effect("a service that allows one search a second gets one a second, once it has said so", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      let next = 0
      let refused = 0
      service.misbehave(() => {
        const now = performance.now()
        if (now < next) {
          refused++
          return { status: 429, headers: { "retry-after": "1" } }
        }
        // A little less than a second: clocks and sockets are not exact.
        next = now + 900
        return undefined
      })
      const done = yield* run({
        ...pullRequestWith(repository, {
          "a.env": configWith(planted.clean, `${planted.clean}x`, `${planted.clean}y`)
        }),
        inputs: connected(service)
      })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "6", unsearched: "0" })
      // Six searches that are repeated after a second without regard to each other are refused fifteen times.
      assert.isBelow(refused, 15)
    })
  )

  it.effect("a runner behind a proxy reaches the service through it", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked) }),
        inputs: { ...connected(service), "base-url": "http://localhost:9" },
        // The door takes what a proxy is sent: the whole address in place of the path.
        env: { http_proxy: service.baseUrl }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", searches: "2" })
      assertNothingSlipped(done, service)
    })
  )

  it.effect("a cancelled run reports what was found by then, and caches what was found clean", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const temporary = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "action-cancelled-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const values = Array.from({ length: 20 }, (_, n) => `${planted.clean}${n}`)
      let cancel = () => {}
      // Four are on their way at once: what came before the twelfth holds pairs that were answered.
      service.misbehave(({ index }) => {
        if (index < 12) return undefined
        cancel()
        return { status: 429, headers: { "retry-after": "60" } }
      })
      const done = yield* runBundle({
        ...pullRequestWith(repository, { "a.env": configWith(...values) }),
        temporary,
        started: (stop) => {
          cancel = stop
        },
        inputs: { ...connected(service), secrets: `DEPLOY=${planted.named}`, "report-file": "report.json" }
      })
      assert.strictEqual(done.exitCode, 130)
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", "report-file": "report.json" })
      assert.include(done.summary, "The check was cancelled")
      assert.isNotEmpty(JSON.parse(readFileSync(join(temporary, "threat-exposure", "clean.json"), "utf8")).entries)
      assertNothingSlipped(done, service, readFileSync(join(repository.path, "report.json"), "utf8"))
    })
  )

  it.effect("failed searches are reported separately while the others continue", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      service.misbehave(({ path }) => (path.includes("events") ? { status: 422, body: '{"detail":[]}' } : undefined))
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        inputs: connected(service)
      })
      assert.include(done.log, "2 of 2 searches, 1 failed, 0 leaked so far")
      assert.deepInclude(done.outputs, { verdict: "incomplete" })
    })
  )

  it.effect("the deadline ends the searches, and the report names what is left", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      service.misbehave(() => ({ status: 503, headers: { "retry-after": "30" } }))
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked) }),
        inputs: { ...connected(service), deadline: "1s" }
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "incomplete", unsearched: "1" })
      assert.match(done.summary, /deadline/iu)
    })
  )
})

/** A value that was found clean is not searched again, and a failing cache never stops a run. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect } from "effect"
import { type CacheBehaviour, cacheStandIn } from "./action/CacheStandIn.ts"
import { runBundle } from "./action/Runner.ts"
import {
  annotationsIn,
  assertNothingSlipped,
  calm,
  configWith,
  connected,
  planted,
  pullRequestWith,
  searchedValues,
  Service
} from "./action/Scene.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "action-cache-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Values that look like passwords, each different from the others. */
const many = (count: number, seed: string) =>
  Array.from({ length: count }, (_, n) => `${seed}${((n + 7) * 7_919_337).toString(36)}#K${n}`)

layer(Service.layer, { excludeTestServices: true })("cache", (it) => {
  it.effect("a second run searches only leaked values again; without the cache, it searches all", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const temporary = yield* temporaryFolder
      const job = {
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked, planted.clean) }),
        temporary,
        inputs: { ...connected(service), domains: "nowhere.example" }
      }
      const first = yield* runBundle(job)
      assert.deepInclude(first.outputs, { verdict: "leaked", searches: "6" })
      assertNothingSlipped(first, service)
      service.searches.length = 0
      const second = yield* runBundle(job)
      assert.deepInclude(second.outputs, { verdict: "leaked", searches: "2", unsearched: "0" })
      assert.deepStrictEqual(searchedValues(service), [planted.leaked])
      const without = yield* runBundle({ ...job, inputs: { ...job.inputs, cache: "false" } })
      assert.deepInclude(without.outputs, { searches: "6" })
      const otherKey = yield* runBundle({ ...job, inputs: { ...job.inputs, token: service.powerless } })
      assert.deepInclude(otherKey.outputs, { verdict: "incomplete" })
    })
  )

  it.effect("a cache file that is damaged, or cannot be written, only costs searches", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const temporary = yield* temporaryFolder
      const job = {
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        temporary,
        inputs: connected(service)
      }
      const file = join(temporary, "threat-exposure", "clean.json")
      mkdirSync(join(temporary, "threat-exposure"))
      writeFileSync(file, '{"version":1,"entries":[{"na')
      assert.deepInclude((yield* runBundle(job)).outputs, { verdict: "clean", searches: "2" })
      assert.isObject(JSON.parse(readFileSync(file, "utf8")))
      assert.deepInclude((yield* runBundle(job)).outputs, { verdict: "clean", searches: "0" })
      rmSync(join(temporary, "threat-exposure"), { recursive: true })
      writeFileSync(join(temporary, "threat-exposure"), "a file where a folder should be")
      const blocked = yield* runBundle(job)
      assert.strictEqual(blocked.exitCode, 0)
      assert.deepInclude(blocked.outputs, { verdict: "clean", searches: "2" })
    })
  )

  it.effect("it is passed from run to run through GitHub's cache, as keyed hashes only", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const cache = yield* cacheStandIn
      // The archive names the file by its path: a runner has the same one for every job.
      const temporary = yield* temporaryFolder
      const job = {
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        temporary,
        env: cache.env,
        inputs: connected(service)
      }
      const first = yield* runBundle(job)
      assert.deepInclude(first.outputs, { verdict: "clean", searches: "2" })
      for (const key of cache.entries.keys()) assert.match(key, /^threat-exposure-clean-2-all-1-1-leaks-\w+$/u)
      rmSync(join(temporary, "threat-exposure"), { recursive: true })
      const second = yield* runBundle(job)
      assert.deepInclude(second.outputs, { verdict: "clean", searches: "0" })
      assert.isTrue(existsSync(join(temporary, "threat-exposure", "clean.json")))
      assert.strictEqual(cache.entries.size, 1)
      assertNothingSlipped(second, service)
      // Jobs of a matrix share their run, attempt and name.
      const other = pullRequestWith(yield* testRepository, { "b.env": configWith(...many(1, "Mx3")) })
      assert.deepInclude((yield* runBundle({ ...job, ...other })).outputs, { verdict: "clean", searches: "2" })
      assert.strictEqual(cache.entries.size, 2)
    })
  )

  it.effect("the jobs of a matrix that check different parts have entries of their own", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const cache = yield* cacheStandIn
      const temporary = yield* temporaryFolder
      const change = pullRequestWith(repository, {
        "a/a.env": configWith(planted.clean),
        "b/b.env": configWith(...many(1, "Mx3"))
      })
      const searchesOf = (paths: string) =>
        Effect.map(
          runBundle({ ...change, temporary, env: cache.env, inputs: { ...connected(service), paths } }),
          ({ outputs }) => {
            rmSync(join(temporary, "threat-exposure"), { recursive: true })
            return outputs["searches"]
          }
        )
      assert.strictEqual(yield* searchesOf("a/**"), "2")
      const ofOne = new Map(cache.entries)
      cache.entries.clear()
      // Both jobs began before either had saved its cache entry.
      assert.strictEqual(yield* searchesOf("b/**"), "2")
      for (const [key, entry] of ofOne) cache.entries.set(key, entry)
      assert.strictEqual(yield* searchesOf("a/**"), "0")
      assert.strictEqual(yield* searchesOf("b/**"), "0")
    })
  )

  it.effect("a cache service that is read-only, broken or silent never fails or annotates the step", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = {
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        inputs: connected(service)
      }
      const runWith = Effect.fnUntraced(function* (behaviour: CacheBehaviour) {
        const cache = yield* cacheStandIn
        cache.behave(behaviour)
        const done = yield* runBundle({ ...job, env: cache.env })
        assert.strictEqual(done.exitCode, 0, behaviour)
        assert.deepInclude(done.outputs, { verdict: "clean", searches: "2" }, behaviour)
        assert.isEmpty([...annotationsIn(done, "error"), ...annotationsIn(done, "warning")], behaviour)
        assert.isEmpty(cache.entries)
      })
      // Side by side, because two of them end by the action's time limit.
      yield* Effect.forEach(["read-only", "broken", "silent"] as const, runWith, { concurrency: "unbounded" })
    })
  )

  it.effect("of 200 values with 60 in the cache, exactly the planned searches are sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const temporary = yield* temporaryFolder
      const known = many(60, "Qx9")
      const fresh = many(140, "Zw4")
      const { workspace } = pullRequestWith(repository, { "known.env": configWith(...known) })
      const inputs = { ...connected(service), "max-searches": "100000", scan: "tree" }
      const job = { workspace, temporary, event: "schedule", payload: {} }
      const before = yield* runBundle({ ...job, inputs })
      assert.deepInclude(before.outputs, { verdict: "clean", searches: "120" })
      repository.commit({ "fresh.env": configWith(...fresh) })

      service.searches.length = 0
      const done = yield* runBundle({ ...job, inputs })
      assert.include(done.log, "Plan: 140 values: 280 searches")
      assert.include(done.log, "60 values found clean in an earlier run")
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "280", unsearched: "0" })
      assert.strictEqual(service.searches.length, 280)
      assert.strictEqual(searchedValues(service).length, 140)
    })
  )
})

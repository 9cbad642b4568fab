import { execFileSync } from "node:child_process"
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Data, DateTime, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as CleanCache from "@threat-exposure/leak-check/search/CleanCache"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { cacheFile } from "@threat-exposure/leak-check/node/CacheFile"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import { candidate, input, now } from "../samples.ts"
import { credential, script } from "../ScriptedService.ts"

const values = Array.from({ length: 10 }, (_, i) => `secret-number-${i}`)
const given = (over: Parameters<typeof input>[0] = {}) =>
  input({ candidates: values.map((value) => candidate(value)), domains: ["example.com"], ...over })

const memory = () => {
  const kept: { content: string | undefined } = { content: undefined }
  const store: CleanCache.CacheStore = {
    read: Effect.sync(() => kept.content),
    write: (content) =>
      Effect.sync(() => {
        kept.content = content
      })
  }
  return { kept, store }
}

const run = Effect.fnUntraced(function* (
  store: CleanCache.CacheStore,
  over: { readonly input?: Input; readonly key?: string; readonly leaked?: string } = {}
) {
  const { layer, seen } = script(({ asked, of }) =>
    asked === over.leaked && of === "credentials" ? { items: [credential()], next: null } : undefined
  )
  const report = yield* Effect.flatMap(LeakCheck.plan(over.input ?? given()), (plan) => LeakCheck.run(plan)).pipe(
    Effect.provide(Layer.merge(layer, CleanCache.layer(store, Redacted.make(over.key ?? "the-token"))))
  )
  return { report, calls: seen.calls.length }
})

class NoDisk extends Data.TaggedError("NoDisk") {}

const start = TestClock.setTime(DateTime.toEpochMillis(now))

describe("CleanCache", () => {
  it.effect("values and domains that were found clean are not searched again for seven days", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      assert.strictEqual((yield* run(store)).calls, 22)
      const again = yield* run(store)
      assert.deepStrictEqual([again.calls, again.report.verdict, again.report.planned.knownClean], [0, "clean", 11])
      assert.strictEqual(again.report.plan, "nothing to search; 10 values, 1 domain found clean in an earlier run")
      yield* TestClock.adjust("167 hours")
      assert.strictEqual((yield* run(store)).calls, 0)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* run(store)).calls, 22)
    })
  )

  it.effect("a login domain is remembered after its one search, apart from the domain of the same name", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      const logins = input({ loginDomains: ["example.com"] })
      assert.strictEqual((yield* run(store, { input: logins })).calls, 1)
      assert.strictEqual((yield* run(store, { input: logins })).calls, 0)
      assert.strictEqual((yield* run(store, { input: input({ domains: ["example.com"] }) })).calls, 2)
    })
  )

  it.effect("values that leaked, or were not fully searched, are searched again", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      yield* run(store, { leaked: "secret-number-3" })
      assert.strictEqual((yield* run(store, { leaked: "secret-number-3" })).calls, 2)
      const other = memory()
      yield* run(other.store, { input: given({ settings: { maxSearches: 21 } }) })
      assert.strictEqual((yield* run(other.store)).calls, 2)
    })
  )

  it.effect("a check with wider settings searches again, one with narrower settings does not", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      const asking = (minSeverity: "low" | "high", since: string) =>
        given({ settings: { minSeverity, since: DateTime.makeUnsafe(since) } })
      yield* run(store, { input: asking("high", "2026-10-01") })
      assert.strictEqual((yield* run(store, { input: asking("high", "2026-11-01") })).calls, 0)
      assert.strictEqual((yield* run(store, { input: asking("high", "2026-09-01") })).calls, 2)
      assert.strictEqual((yield* run(store, { input: asking("low", "2026-10-01") })).calls, 22)
      assert.strictEqual((yield* run(store, { input: asking("high", "2026-10-01") })).calls, 0)
    })
  )

  it.effect("if 300 of 1,000 values were found clean, exactly the searches of the plan are made", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      const all = Array.from({ length: 1000 }, (_, i) => candidate(`thousand-secrets-${i}`))
      const settings = { maxSearches: 5000 }
      yield* run(store, { input: input({ candidates: all.slice(0, 300), settings }) })
      const { calls, report } = yield* run(store, { input: input({ candidates: all, settings }) })
      assert.deepStrictEqual(
        [calls, report.searches, report.planned.searches, report.planned.knownClean],
        [1400, 1400, 1400, 300]
      )
      assert.include(report.plan, "700 values: 1400 searches")
    })
  )

  it.effect("another key finds no entry and damages none", () =>
    Effect.gen(function* () {
      yield* start
      const { store } = memory()
      yield* run(store)
      assert.strictEqual((yield* run(store, { key: "another-token" })).calls, 22)
      assert.strictEqual((yield* run(store)).calls, 0)
    })
  )

  it.effect("an entry that was renewed, or that stands for a search that went further, is not believed", () =>
    Effect.gen(function* () {
      const { kept, store } = memory()
      yield* start
      yield* run(store)
      const written = kept.content ?? ""
      const entries: ReadonlyArray<object> = JSON.parse(written).entries
      const changed = (change: object) =>
        JSON.stringify({ version: 2, entries: entries.map((one) => Object.assign({}, one, change)) })
      kept.content = changed({ minSeverity: "info" })
      assert.strictEqual((yield* run(store)).calls, 22)
      yield* TestClock.adjust("8 days")
      const at = DateTime.toEpochMillis(now) + 7 * 86_400_000
      for (const change of [{ at }, { at, tag: "0".repeat(32) }]) {
        kept.content = changed(change)
        assert.strictEqual((yield* run(store)).calls, 22)
      }
    })
  )

  it.effect("contains no value, in any form, and nothing that reveals one without the key", () =>
    Effect.gen(function* () {
      yield* start
      const { kept, store } = memory()
      yield* run(store)
      const content = kept.content ?? ""
      assert.include(content, '"entries"')
      for (const value of [...values, "example.com", "the-token"]) {
        assert.notInclude(content, value)
        assert.notInclude(content, Buffer.from(value).toString("base64").replace(/=+$/, ""))
        assert.notInclude(content, Buffer.from(value).toString("hex"))
      }
    })
  )

  it.effect("a cache that is damaged, or cannot be read or written, only costs searches", () =>
    Effect.gen(function* () {
      yield* start
      for (const content of ["", "{", "null", '{"version":2,"entries":[]}', '{"version":1,"entries":[{}]}', "\u0000"]) {
        const { kept, store } = memory()
        kept.content = content
        const { calls, report } = yield* run(store)
        assert.deepStrictEqual([calls, report.verdict], [22, "clean"])
        assert.strictEqual((yield* run(store)).calls, 0)
      }
      const broken: CleanCache.CacheStore = {
        read: Effect.die("no disk"),
        write: () => Effect.fail(new NoDisk())
      }
      assert.strictEqual((yield* run(broken)).report.verdict, "clean")
    })
  )

  it.live(
    "a pipe, a device, a folder or a file that is larger than any cache is not read, and only costs searches",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "clean-cache-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true }))
        )
        const path = (name: string) => join(folder, name)
        execFileSync("mkfifo", [path("pipe")])
        yield* Effect.promise(async () => {
          await symlink("/dev/zero", path("device"))
          await mkdir(path("folder"))
        })
        yield* run(cacheFile(path("large")))
        // White space, which JSON allows after the entries.
        yield* Effect.promise(() => appendFile(path("large"), " ".repeat(16 * 2 ** 20)))
        for (const name of ["pipe", "device", "folder", "large"]) {
          const { calls, report } = yield* run(cacheFile(path(name)))
          assert.deepStrictEqual([name, calls, report.verdict], [name, 22, "clean"])
        }
        // The previous run replaced the file.
        assert.strictEqual((yield* run(cacheFile(path("large")))).calls, 0)
      })
  )

  it.live("concurrent runs do not lose each other's earlier entries", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "clean-cache-")))
      const path = join(folder, "deep", "cache.json")
      const store = cacheFile(path)
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i),
        (i) => run(store, { input: input({ candidates: [candidate(`concurrent-secret-${i}`)] }) }),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(join(folder, "deep"))), ["cache.json"])
      JSON.parse(yield* Effect.promise(() => readFile(path, "utf8")))
      yield* run(store)
      assert.strictEqual((yield* run(store)).calls, 0)
      yield* Effect.promise(() => writeFile(path, "half a fi"))
      assert.strictEqual((yield* run(store)).calls, 22)
      yield* Effect.promise(() => rm(folder, { recursive: true }))
    })
  )
})

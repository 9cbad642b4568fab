import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { publishWhole } from "@threat-exposure/service/testing/PublishedRecords"
import { credentialLoader, prepareCredentials } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import type { OpenDatabase } from "@threat-exposure/service/sqlite/database/Procedure"
import { Settings } from "@threat-exposure/service/Settings"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { CurrentTenant } from "@threat-exposure/service/requests/CurrentTenant"
import { SearchTimedOut } from "@threat-exposure/service/requests/StoreUnavailable"
import { searchInSlices } from "@threat-exposure/service/sqlite/database/SlicedSearch"
import { TestClock } from "effect/testing"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { ServiceForTest } from "../../ServiceForTest.ts"
import { spin } from "./SpinProcedure.ts"

const withThreads = Effect.provide(
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      ),
      (folder) =>
        Database.layer(databaseFiles(join(folder, "test.sqlite")), new URL("spinningThread.ts", import.meta.url), [], {
          readers: 2,
          wait: 600_000
        })
    )
  )
)

describe("searchInSlices", () => {
  it.live("carries the progress from slice to slice", () =>
    Effect.gen(function* () {
      const database = yield* Database
      assert.strictEqual(yield* searchInSlices(database, spin, 3, 60_000), 3)
    }).pipe(withThreads)
  )

  it.live("answers other requests while endless searches keep every thread busy", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const endless = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => searchInSlices(database, spin, Number.POSITIVE_INFINITY, 600_000)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      for (let quick = 0; quick < 3; quick += 1) yield* searchInSlices(database, spin, 1, 600_000)
      assert.isUndefined(endless.pollUnsafe())
      yield* Fiber.interrupt(endless)
      assert.strictEqual(yield* searchInSlices(database, spin, 2, 600_000), 2)
    }).pipe(withThreads)
  )

  it.live("leaves a thread to the other tenants", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const readFor = (tenant: number) =>
        database
          .read(spin, { input: 1, progress: undefined, time: 1 })
          .pipe(Effect.provideService(CurrentTenant, tenant), Effect.forkChild({ startImmediately: true }))
      const reads = [yield* readFor(1), yield* readFor(1), yield* readFor(1)]
      assert.strictEqual(database.waiting().reads, 2)
      reads.push(yield* readFor(2))
      assert.strictEqual(database.waiting().reads, 2)
      assert.lengthOf(yield* Effect.forEach(reads, Fiber.join), 4)
      assert.strictEqual(database.waiting().reads, 0)
    }).pipe(withThreads)
  )

  it.live("does not begin a search again whose client has gone", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* database.started
      const search = searchInSlices(database, spin, Number.POSITIVE_INFINITY, 600_000)
      const searches = Effect.all(
        Array.from({ length: 20 }, () => Effect.provideService(search, CurrentTenant, 1)),
        { concurrency: "unbounded" }
      )
      const searching = yield* Effect.forkChild(searches, { startImmediately: true })
      assert.strictEqual(database.waiting().reads, 19)
      yield* Fiber.interrupt(searching)
      assert.strictEqual(database.waiting().reads, 0)
    }).pipe(withThreads)
  )

  it.effect("has its time limit from when a thread has started", () =>
    Effect.gen(function* () {
      const started = yield* Effect.cached(Effect.sleep("10 seconds"))
      const read: Database["Service"]["read"] = (procedure, input) =>
        Effect.map(started, () => procedure.run({} as OpenDatabase, input))
      const searching = yield* Effect.forkChild(searchInSlices({ read, started }, spin, 1, 5_000), {
        startImmediately: true
      })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(searching), 1)
    })
  )

  it.live("stops at the time limit", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const stopped = yield* Effect.exit(searchInSlices(database, spin, Number.POSITIVE_INFINITY, 100))
      assert(Exit.isFailure(stopped))
      assert.instanceOf(Cause.squash(stopped.cause), SearchTimedOut)
    }).pipe(withThreads)
  )
})

describe("A search that reaches its time limit", () => {
  const unlimited = { ...Settings.defaultValue(), searchTimeLimit: 60_000 }
  const withLimit = (searchTimeLimit: number) =>
    Effect.provide(
      Layer.fresh(ServiceForTest.layer).pipe(Layer.provide(Layer.succeed(Settings, { ...unlimited, searchTimeLimit })))
    )

  const loaded = Effect.gen(function* () {
    const service = yield* ServiceForTest
    const database = yield* Database
    const lines = Array.from({ length: 1_200 }, (_, id) =>
      JSON.stringify({ id, identity_name: id % 2 === 0 ? "left" : "right", imported_at: "2026-01-01T00:00:00Z" })
    )
    const { batch } = prepareCredentials.run(database, {
      text: Buffer.from(lines.join("\n")),
      firstNumber: 1,
      format: { type: "lines" } as const
    })
    publishWhole(database, credentialLoader.store, [batch], "2026-02-01T00:00:00Z")
    database.connection.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 10500)
       INSERT INTO events (id, added_in, uid, type, severity, created_at, loaded_at, digest, document)
       SELECT n << 30, 0, 'test/' || n, 'paste', 'low', n << 20, '', x'', x'' FROM numbers`
    )
    return service
  })

  const searches = [
    ["/v4/credentials/global/_search", { query: { type: "keyword", keyword: "left right" } }],
    ["/v4/events/global/_search", { query: { type: "keyword", keyword: "nowhere" } }]
  ] as const

  it.effect("is answered with 503, says what to do, and costs no quota", () =>
    Effect.gen(function* () {
      const { call } = yield* loaded
      const remaining = Effect.map(
        call(1, "POST", "/v4/credentials/global/_search", { query: { type: "email", email: "a@example.com" } }),
        ({ headers }) => Number(headers.get("x-global-searches-remaining"))
      )
      const before = yield* remaining
      for (const [path, search] of searches) {
        const { body, headers, status } = yield* call(1, "POST", path, search)
        assert.strictEqual(status, 503, path)
        assert.strictEqual(body.error.code, "UNAVAILABLE")
        assert.match(body.error.message, /^The search was stopped after 0 seconds: narrow it, /)
        assert.isAtMost(Number(headers.get("retry-after")), 60)
      }
      assert.strictEqual(yield* remaining, before)
    }).pipe(withLimit(0))
  )

  it.effect("is answered in full with a longer limit", () =>
    Effect.gen(function* () {
      const { call } = yield* loaded
      for (const [path, search] of searches) {
        const { body, status } = yield* call(1, "POST", path, search)
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual(body, { items: [], next: null })
      }
    }).pipe(withLimit(60_000))
  )
})

import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Quota, QuotaStore } from "@threat-exposure/service/limits/Quota"
import { QuotaStoreSqlite } from "@threat-exposure/service/limits/QuotaStoreSqlite"
import { openSearch } from "@threat-exposure/service/OpenSearch"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseOnTestClock } from "../DatabaseForTest.ts"

const started = Effect.map(
  Layer.build(Layer.fresh(Quota.layer.pipe(Layer.provide(QuotaStoreSqlite)))),
  Context.get(Quota)
)

const left = (quota: Quota["Service"], search: string, count = 1) =>
  Effect.map(
    quota.charge({ tenantId: 1, search, position: 0 }, () => Effect.succeed({ count, last: undefined })),
    ({ left }) => left.remaining
  )

describe("Quota", () => {
  it.effect("learns within a second what another service over the same database spent", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* started, yield* started]
      assert.deepEqual([yield* left(here, "a", 250), yield* left(there, "b")], [999_997, 999_999])
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual([yield* left(here, "a"), yield* left(there, "b")], [999_996, 999_996])
    }).pipe(Effect.provide(DatabaseOnTestClock))
  )

  it.effect("survives a restart through what it stored", () =>
    Effect.gen(function* () {
      const before = Effect.flatMap(started, (quota) => left(quota, "a", 250)).pipe(Effect.scoped)
      assert.strictEqual(yield* before, 999_997)
      assert.strictEqual(yield* left(yield* started, "b"), 999_996)
    }).pipe(Effect.provide(DatabaseOnTestClock))
  )

  it.effect("charges nothing for a page that fails or is interrupted", () =>
    Effect.gen(function* () {
      const quota = yield* started
      const search = { tenantId: 1, search: "a", position: 0 }
      assert.strictEqual(yield* Effect.flip(quota.charge(search, () => Effect.fail("failed"))), "failed")
      yield* Effect.timeoutOption(
        quota.charge(search, () => Effect.never),
        0
      )
      assert.strictEqual(yield* left(quota, "b"), 999_999)
    }).pipe(Effect.provide(DatabaseOnTestClock))
  )
})

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the quota on OpenSearch", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node

  it.live("tells each service what was paid through the others, and a service that starts later, too", () =>
    Effect.gen(function* () {
      const keyFile = join(tmpdir(), `${prefix}.key`)
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(keyFile, { force: true })))
      const start = Effect.map(
        Layer.build(Layer.fresh(openSearch({ urls: [url], prefix, keyFile }))),
        Context.get(QuotaStore)
      )
      const [here, there] = [yield* start, yield* start]
      const now = yield* Clock.currentTimeMillis
      const first = new Map([
        ["1 a 0", now],
        ["1 a 1", now]
      ])
      assert.deepEqual(yield* there.exchangePaid(new Map()), new Map())
      assert.deepEqual(yield* here.exchangePaid(first), new Map())
      assert.deepEqual(yield* there.exchangePaid(new Map([["1 b 0", now]])), first)
      assert.deepEqual(yield* here.exchangePaid(new Map()), new Map([["1 b 0", now]]))
      assert.deepEqual(yield* (yield* start).exchangePaid(new Map()), new Map([...first, ["1 b 0", now]]))
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Quota } from "@threat-exposure/service/limits/Quota"
import { QuotaStoreSqlite } from "@threat-exposure/service/limits/QuotaStoreSqlite"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseForTest } from "../DatabaseForTest.ts"

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
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("survives a restart through what it stored", () =>
    Effect.gen(function* () {
      const before = Effect.flatMap(started, (quota) => left(quota, "a", 250)).pipe(Effect.scoped)
      assert.strictEqual(yield* before, 999_997)
      assert.strictEqual(yield* left(yield* started, "b"), 999_996)
    }).pipe(Effect.provide(DatabaseForTest))
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
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

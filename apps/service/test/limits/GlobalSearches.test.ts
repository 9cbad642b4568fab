import { assert, describe, it } from "@effect/vitest"
import { GlobalSearches } from "@threat-exposure/service/limits/GlobalSearches"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseForTest } from "../DatabaseForTest.ts"

describe("GlobalSearches", () => {
  it.effect("learns within a second what another service over the same database spent", () =>
    Effect.gen(function* () {
      const started = Effect.map(Layer.build(Layer.fresh(GlobalSearches.layer)), Context.get(GlobalSearches))
      const [{ quota: here }, { quota: there }] = [yield* started, yield* started]
      const left = () => [here.remaining(1, 0), there.remaining(1, 0)]
      assert.deepEqual(left(), [1_000_000, 1_000_000])
      here.charge(1, "a", 250, 0)
      there.charge(1, "b", 1, 0)
      assert.deepEqual(left(), [999_997, 999_999])
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(left(), [999_996, 999_996])
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

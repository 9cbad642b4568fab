import { assert, describe, it } from "@effect/vitest"
import { GlobalSearches, remainingHeader } from "@threat-exposure/service/limits/GlobalSearches"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseForTest } from "../DatabaseForTest.ts"

describe("GlobalSearches", () => {
  it.effect("learns within a second what another service over the same database spent", () =>
    Effect.gen(function* () {
      const started = Effect.map(Layer.build(Layer.fresh(GlobalSearches.layer)), Context.get(GlobalSearches))
      const [here, there] = [yield* started, yield* started]
      const left = (service: GlobalSearches["Service"], search: string, count = 1) => {
        const paid = service.pay(1, search, 0, 0)
        return paid instanceof Error ? paid.code : Number(paid.served(count, false)[remainingHeader])
      }
      assert.deepEqual([left(here, "a", 250), left(there, "b")], [999_997, 999_999])
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual([left(here, "a"), left(there, "b")], [999_996, 999_996])
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

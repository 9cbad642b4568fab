import { assert, describe, it } from "@effect/vitest"
import { TenantQueue } from "@threat-exposure/service/opensearch/cluster/TenantQueue"
import { Deferred, Effect, Fiber } from "effect"

describe("TenantQueue", () => {
  it.effect("gives tenants turns, regardless of which one came first", () =>
    Effect.gen(function* () {
      const queue = new TenantQueue({ maxRunning: 3, maxRunningOfTenant: 2 })
      const started: Array<string> = []
      const end = yield* Deferred.make<void>()
      const search = (tenantId: number, name: string) =>
        queue.run(
          tenantId,
          Effect.suspend(() => {
            started.push(name)
            return started.length < 4 ? Deferred.await(end) : Effect.void
          })
        )
      const fork = (tenantId: number, name: string) =>
        Effect.forkChild(search(tenantId, name), { startImmediately: true })
      const fibers = []
      for (const name of ["a1", "a2", "a3", "a4"]) fibers.push(yield* fork(1, name))
      assert.deepStrictEqual(started, ["a1", "a2"])
      for (const name of ["b1", "b2", "b3"]) fibers.push(yield* fork(2, name))
      assert.deepStrictEqual(started, ["a1", "a2", "b1"])
      yield* Deferred.succeed(end, undefined)
      yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(started.slice(3).toSorted(), ["a3", "a4", "b2", "b3"])
      assert.include(started.slice(3, 5), "b2")
    })
  )

  it.effect("starts nobody who has stopped waiting, and gives the place of one who is interrupted to the next", () =>
    Effect.gen(function* () {
      const queue = new TenantQueue({ maxRunning: 1, maxRunningOfTenant: 1 })
      const started: Array<string> = []
      const search = (name: string, work: Effect.Effect<void>) =>
        Effect.forkChild(
          queue.run(
            1,
            Effect.andThen(
              Effect.sync(() => started.push(name)),
              work
            )
          ),
          {
            startImmediately: true
          }
        )
      const first = yield* search("first", Effect.never)
      const second = yield* search("second", Effect.void)
      const third = yield* search("third", Effect.void)
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* Fiber.await(third)
      assert.deepStrictEqual(started, ["first", "third"])
      yield* queue.run(2, Effect.void)
    })
  )
})

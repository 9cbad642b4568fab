import { assert, describe, it } from "@effect/vitest"
import { repeatRecovery, tryToComplete } from "@threat-exposure/service/requests/Recovery"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { Cause, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

describe("repeatRecovery", () => {
  it.effect("goes on after any failure, and logs each one that no request reports", () =>
    Effect.gen(function* () {
      const failures = [new Error("a defect"), new StoreUnavailable({ reason: "no node answers" })]
      const logged: Array<string> = []
      let rounds = 0
      const recovery = Effect.suspend(() => {
        const failure = failures[rounds++]
        return failure === undefined ? Effect.void : Effect.die(failure)
      })
      yield* repeatRecovery(recovery).pipe(
        Effect.provide(Logger.layer([Logger.make(({ cause }) => logged.push(Cause.pretty(cause)))]))
      )
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(rounds, 3)
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], "a defect")
    }).pipe(Effect.scoped)
  )
})

describe("tryToComplete", () => {
  it.effect("goes on after any failure", () =>
    Effect.gen(function* () {
      const works = [
        Effect.die(new StoreUnavailable({ reason: "too many clauses" })),
        Effect.die(new Error("a defect")),
        Effect.void
      ]
      assert.deepStrictEqual(yield* Effect.forEach(works, tryToComplete), [false, false, true])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { attemptAll, repeatRecovery } from "@threat-exposure/service/requests/Recovery"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { Cause, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

describe("repeatRecovery", () => {
  it.effect("goes on after any failure, and logs each one that no request reports", () =>
    Effect.gen(function* () {
      const unavailable = new StoreUnavailable({ reason: "no node answers" })
      const defect = Cause.die(new Error("a defect"))
      const failures = [defect, Cause.die(unavailable), Cause.combine(Cause.die(unavailable), defect)]
      const logged: Array<string> = []
      let rounds = 0
      const recovery = Effect.suspend(() => {
        const failure = failures[rounds++]
        return failure === undefined ? Effect.void : Effect.failCause(failure)
      })
      yield* repeatRecovery(recovery).pipe(
        Effect.provide(Logger.layer([Logger.make(({ cause }) => logged.push(Cause.pretty(cause)))]))
      )
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(rounds, 4)
      assert.strictEqual(logged.length, 2)
      for (const text of logged) assert.include(text, "a defect")
    }).pipe(Effect.scoped)
  )
})

describe("attemptAll", () => {
  it.effect("goes on after any failure, and fails with each of them", () =>
    Effect.gen(function* () {
      const failures = [
        new StoreUnavailable({ reason: "too many clauses" }),
        undefined,
        new Error("a defect"),
        undefined
      ]
      let completed = 0
      const complete = (failure: Error | undefined) =>
        failure === undefined ? Effect.sync(() => (completed += 1)) : Effect.die(failure)
      const { reasons } = yield* Effect.flip(Effect.sandbox(attemptAll(failures, complete)))
      assert.strictEqual(completed, 2)
      assert.deepStrictEqual(
        reasons.map((reason) => Cause.isDieReason(reason) && reason.defect),
        [failures[0], failures[2]]
      )
    })
  )
})

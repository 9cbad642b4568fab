import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { type Failure, NotPossible, TooSlow } from "../../../src/editor/Problem.ts"
import { type EventListing, refreshLoaded } from "../../../src/events/list/EventListings.ts"

const listing = (refresh: Effect.Effect<void, Failure>, { isLoaded } = { isLoaded: true }): EventListing => {
  const listed = { items: [], hasMore: false, asOf: isLoaded ? 0 : undefined }
  return {
    now: () => listed,
    first: Effect.succeed(listed),
    more: Effect.succeed(listed),
    refresh: Effect.as(refresh, listed)
  }
}

describe("a refresh of several listings", () => {
  it.effect("asks for the next one while the first is on its way, and leaves out those that have not loaded", () =>
    Effect.gen(function* () {
      const second = yield* Deferred.make<void>()
      const asked: Array<string> = []
      const ask = (name: string) => Effect.sync(() => void asked.push(name))
      yield* refreshLoaded([
        listing(Effect.andThen(ask("first"), Deferred.await(second))),
        listing(ask("not loaded"), { isLoaded: false }),
        listing(Effect.andThen(ask("second"), Deferred.succeed(second, undefined)))
      ])
      assert.deepStrictEqual(asked, ["first", "second"])
    })
  )

  it.effect("goes on where one fails, and ends where all would", () =>
    Effect.gen(function* () {
      let asked = 0
      const ask = Effect.sync(() => void asked++)
      const refused = new NotPossible({ message: "refused" })
      assert.strictEqual(yield* Effect.flip(refreshLoaded([listing(Effect.fail(refused)), listing(ask)])), refused)
      assert.strictEqual(asked, 1)
      const slow = new TooSlow({ seconds: 1 })
      const many = Array.from({ length: 20 }, () => listing(Effect.andThen(ask, Effect.yieldNow)))
      assert.strictEqual(
        yield* Effect.flip(refreshLoaded([listing(Effect.fail(refused)), listing(Effect.fail(slow)), ...many])),
        slow
      )
      assert.isBelow(asked, 10)
    })
  )
})

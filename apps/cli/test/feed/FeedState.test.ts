import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { FeedState } from "@threat-exposure/cli/feed/FeedState"
import { Duration, Effect, FileSystem } from "effect"

const day = 86_400_000
const now = Date.parse("2026-11-24T12:00:00Z")

describe("the state of a feed", () => {
  it.effect("forgets what is older than the overlap, and no more while the clock is ahead", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        const found = [
          ["old", now - 20 * day],
          ["within", now - 10 * day],
          ["new", now]
        ] as const
        yield* state.advance({ source: "events", reached: { completed: now }, found, batch: undefined })
        yield* state.forget(Duration.days(14), now + 400 * day)
        assert.deepStrictEqual(
          ["old", "within", "new"].map((uid) => state.isSeen(uid)),
          [false, true, true]
        )
        yield* state.forget(Duration.days(14), now - 4 * day)
        assert.isTrue(state.isSeen("within"), "a clock that is behind forgets less")
      }).pipe(Effect.provide(FeedState.layer(file, "a query", "2026-01-01T00:00:00.000Z")))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

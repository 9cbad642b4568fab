import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { FeedState } from "@threat-exposure/cli/feed/FeedState"
import { Duration, Effect, FileSystem } from "effect"

const day = 86_400_000
const now = Date.parse("2026-11-24T12:00:00Z")

const stateIn = (file: string) =>
  FeedState.layer(file, "a query", { now: "2026-11-24T12:00:00.000Z", start: "2026-01-01T00:00:00.000Z" })

/** A valid state with these members replaced. */
const stateWith = (members: object) =>
  JSON.stringify({
    version: 1,
    query: "a query",
    start: "2026-11-01T00:00:00.000Z",
    positions: {},
    completed: {},
    batches: [],
    seen: {},
    ...members
  })

describe("the state of a feed", () => {
  it.effect("forgets uids older than the overlap, and no others while the clock is ahead", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        const seen = (uid: string, time: number) => ({ uid, time, annotations: "" })
        const found = [seen("old", now - 20 * day), seen("within", now - 10 * day), seen("new", now)]
        yield* state.advance({ source: "events", reached: { completed: now }, found, batch: undefined })
        yield* state.forget(Duration.days(14), now + 400 * day)
        assert.deepStrictEqual(
          ["old", "within", "new"].map((uid) => state.isSeen(uid)),
          [false, true, true]
        )
        yield* state.forget(Duration.days(14), now - 4 * day)
        assert.isTrue(state.isSeen("within"), "a clock that is behind forgets less")
        // A removed event must not be read again as new, after a longer overlap or a change of the clock.
        assert.strictEqual(yield* state.start, new Date(now - 14 * day).toISOString())
      }).pipe(Effect.provide(stateIn(file)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect.each([
    ["", "is empty or damaged"],
    ['{"version":1,"query":"a que', "is empty or damaged"],
    ['{"version":1}', "is empty or damaged"],
    [stateWith({ start: "soon" }), "is empty or damaged"],
    [stateWith({ completed: { events: -9e15 } }), "is empty or damaged"],
    [stateWith({ seen: { a: 9e15 } }), "is empty or damaged"],
    [stateWith({ positions: { events: { began: 0, since: "", from: "x" } } }), "is empty or damaged"],
    ['{"version":2,"query":"a query"}', "has version 2, and this program reads version 1"]
  ] as const)("refuses a file with %j, and leaves it as it is", ([text, reason]) =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      yield* files.writeFileString(file, text)
      const { message } = yield* Effect.flip(Effect.provide(FeedState, stateIn(file)))
      assert.include(message, reason)
      assert.strictEqual(yield* files.readFileString(file), text)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("contains the waiting batches, in the file as well, and reports their size", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      const open = stateIn(file)
      const items = [
        { uid: "paste/one/1", line: '{"uid":"paste/one/1"}' },
        { uid: 'quote"', line: "{}" }
      ]
      const batch = { id: "1", items, waiting: ["-", "file:a"] }
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        assert.strictEqual(yield* state.size, 0)
        const found = [{ uid: "paste/one/1", time: now, annotations: "" }]
        yield* state.advance({ source: "events", reached: { completed: now }, found, batch })
        yield* state.replace(["1"], "-", [])
      }).pipe(Effect.provide(open))
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        assert.deepStrictEqual(yield* state.batches, [{ ...batch, waiting: ["file:a"] }])
        assert.strictEqual(yield* state.size, JSON.stringify(items).length)
        assert.isTrue(state.isSeen("paste/one/1"))
        yield* state.replace(["1"], "file:a", [])
        assert.strictEqual(yield* state.size, 0)
      }).pipe(Effect.provide(open))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("keeps annotations and incomplete events across restarts, and the latest of each", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      const open = stateIn(file)
      const batch = { id: "1", items: [{ uid: "a", line: "{}" }], waiting: ["-"] }
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        const reached = { completed: now }
        const step = { source: "events", reached, batch: undefined }
        const items = new Map(["a", "b", "old"].map((uid) => [uid, { time: now, item: { metadata: { uid } } }]))
        yield* state.advance({
          ...step,
          found: [
            { uid: "a", time: now, annotations: "" },
            { uid: "b", time: now, annotations: '["ignored"]' },
            { uid: "old", time: now - 20 * day, annotations: "" }
          ],
          incomplete: items
        })
        yield* state.advance({ ...step, found: [{ uid: "a", time: now, annotations: '["remediated"]' }] })
        yield* state.advance({ ...step, found: [{ uid: "b", time: now, annotations: "" }] })
        yield* state.complete(["b"], batch)
      }).pipe(Effect.provide(open))
      yield* Effect.gen(function* () {
        const state = yield* FeedState
        assert.deepStrictEqual(
          ["a", "b", "unseen"].map((uid) => state.annotationsOf(uid)),
          ['["remediated"]', "", undefined]
        )
        assert.strictEqual(yield* state.seenCount, 3)
        assert.deepStrictEqual([...(yield* state.incomplete).keys()], ["a", "old"])
        assert.deepStrictEqual(yield* state.batches, [batch])
        yield* state.forget(Duration.days(14), now)
        assert.deepStrictEqual(
          [...(yield* state.incomplete)],
          [["a", { time: now, item: { metadata: { uid: "a" } } }]],
          "what is forgotten is not completed"
        )
      }).pipe(Effect.provide(open))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("refuses a state that begins in the future, and says what to do", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      const open = (now: string, start: string) =>
        Effect.provide(
          Effect.flatMap(FeedState, (state) => state.start),
          FeedState.layer(file, "a query", { now, start })
        )
      yield* open("2027-01-01T00:00:00.000Z", "2026-12-25T00:00:00.000Z")
      const { message } = yield* Effect.flip(open("2026-11-24T12:00:00.000Z", "2026-11-17T00:00:00.000Z"))
      assert.include(message, "begins in the future (2026-12-25T00:00:00.000Z; it is 2026-11-24T12:00:00.000Z now)")
      assert.include(message, "Delete it")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is refused for another tenant, once the tenant is known", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json`
      const bounds = { now: "2026-11-24T12:00:00.000Z", start: "2026-11-17T00:00:00.000Z" }
      const open = (tenant: number | undefined) =>
        Effect.provide(
          Effect.flatMap(FeedState, (state) => state.start),
          FeedState.layer(file, "a query", { ...bounds, tenant })
        )
      // A state of an earlier version does not name its tenant.
      for (const tenant of [undefined, 7, undefined, 7]) yield* open(tenant)
      const { message } = yield* Effect.flip(open(8))
      assert.include(message, "belongs to a feed of tenant 7, and the token to tenant 8")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

import { assert, describe, it } from "@effect/vitest"
import type { DeadLetter } from "@threat-exposure/cli/feed/DeadLetters"
import { FeedMetrics } from "@threat-exposure/cli/feed/FeedMetrics"
import { type Batch, FeedState } from "@threat-exposure/cli/feed/FeedState"
import { BatchTooLarge, deliveredAll, type Sink, SinkBusy, SinkClosed } from "@threat-exposure/cli/feed/Sink"
import { makeSinkQueue } from "@threat-exposure/cli/feed/SinkQueue"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { batchOf, memorySink, withMessages } from "./FeedDoubles.ts"

interface Run {
  readonly isRepeat?: boolean
  readonly keepsLetters?: boolean
  readonly retryFor?: Duration.Duration
}

/** Sends the batches to the sink in one round. Returns the messages, the dead letters and the remaining state. */
const run = Effect.fnUntraced(function* (
  sink: Sink,
  batches: ReadonlyArray<Batch>,
  { isRepeat = false, keepsLetters = true, retryFor = Duration.seconds(60) }: Run = {}
) {
  const messages: Array<string> = []
  const letters: Array<DeadLetter> = []
  const metrics = new FeedMetrics()
  return yield* Effect.gen(function* () {
    const state = yield* FeedState
    for (const [index, batch] of batches.entries()) {
      const reached = { completed: index }
      yield* state.advance({ source: "events", reached, found: [], batch })
    }
    const queue = yield* makeSinkQueue(sink, {
      retryFor,
      deadLetters: keepsLetters ? (given) => Effect.sync(() => void letters.push(...given)) : undefined,
      metrics,
      onChange: Effect.void
    })
    for (const batch of batches) yield* queue.offer(batch, isRepeat)
    yield* queue.end
    const fiber = yield* Effect.forkChild(queue.run)
    let seconds = 0
    for (; fiber.pollUnsafe() === undefined && seconds < 1000; seconds += 1) yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    return { messages, letters, metrics, status: queue.status, seconds, left: yield* state.batches }
  }).pipe(Effect.provide(FeedState.layerMemory("2026-01-01T00:00:00.000Z")), withMessages(messages))
})

const two = [batchOf("1", ["a", "b"], "s"), batchOf("2", ["c"], "s")]
const busy = Effect.fail(new SinkBusy({ reason: "answered 503" }))
const taken = Effect.succeed(deliveredAll)

describe("the queue of a sink", () => {
  it.effect("sends batches in order under their ids, and takes them out of the state", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", () => taken)
      const { left, messages, metrics } = yield* run(sink, two)
      assert.deepStrictEqual(
        sent.map(({ id, isRepeat }) => [id, isRepeat]),
        [
          ["1", false],
          ["2", false]
        ]
      )
      assert.deepStrictEqual(left, [])
      assert.deepStrictEqual(messages, [])
      assert.strictEqual(metrics.delivered.get("s"), 3)
    })
  )

  it.effect("is done with a batch without items, which a repaired state may have", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", () => taken)
      const { left } = yield* run(sink, [batchOf("1", [], "s"), ...two])
      assert.lengthOf(sent, 3)
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("keeps a batch for the sinks that have not taken it", () =>
    Effect.gen(function* () {
      const { sink } = memorySink("s", () => taken)
      const { left } = yield* run(sink, [batchOf("1", ["a"], "s", "other")])
      assert.deepStrictEqual(left, [batchOf("1", ["a"], "other")])
    })
  )

  it.effect("tries a failing sink again under the same id, says so once, and marks repeats", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", (_, attempt) => (attempt < 4 ? busy : taken))
      const { left, messages } = yield* run(sink, two)
      assert.deepStrictEqual(
        sent.map(({ id, isRepeat }) => [id, isRepeat]),
        [
          ["1", false],
          ["1", true],
          ["1", true],
          ["1", true],
          ["2", false]
        ]
      )
      assert.deepStrictEqual(messages, ["s: answered 503. Trying again for 1m (--retry-for)", "s: works again"])
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("marks what an earlier round may have sent as a repeat", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", () => taken)
      yield* run(sink, two, { isRepeat: true })
      assert.isTrue(sent.every(({ isRepeat }) => isRepeat))
    })
  )

  it.effect("leaves everything in the state once the time to retry is over", () =>
    Effect.gen(function* () {
      const { sink } = memorySink("s", () => busy)
      const { left, messages, status } = yield* run(sink, two)
      assert.deepStrictEqual(left, two)
      assert.isTrue(status.isBehind)
      assert.strictEqual(messages.at(-1), "s: answered 503. Its batches wait in the state")
    })
  )

  it.effect("sends nothing before the time that the sink asks for", () =>
    Effect.gen(function* () {
      const limited = Effect.fail(new SinkBusy({ reason: "answered 429", retryAfter: 40_000 }))
      const { sink } = memorySink("s", (_, attempt) => (attempt === 1 ? limited : taken))
      const { left, seconds } = yield* run(sink, two)
      assert.isAtLeast(seconds, 40)
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("waits for the next round if the sink asks for more time than the round has", () =>
    Effect.gen(function* () {
      const limited = Effect.fail(new SinkBusy({ reason: "answered 429", retryAfter: 61_000 }))
      const { sent, sink } = memorySink("s", () => limited)
      const { left } = yield* run(sink, two)
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(left, two)
    })
  )

  it.effect("sends only those items again that were refused for now", () =>
    Effect.gen(function* () {
      const uids = Array.from({ length: 20 }, (_, index) => `e${index}`)
      const {
        sink,
        sent,
        uids: sentUids
      } = memorySink("s", ({ items }, attempt) => {
        const refused = attempt === 1 ? items.filter(({ uid }) => uid === "e3") : []
        return Effect.succeed({
          rejected: refused.map((item) => ({ item, reason: "400 mapper_parsing_exception" })),
          deferred: items.filter(({ uid }) => attempt === 1 && (uid === "e7" || uid === "e8")),
          reason: "2 items were refused for now: 429"
        })
      })
      const { left, letters, messages, metrics } = yield* run(sink, [batchOf("1", uids, "s")])
      assert.deepStrictEqual(sentUids(), [uids.join(" "), "e7 e8"])
      assert.notStrictEqual(sent[0]?.id, sent[1]?.id, "another content has another id")
      assert.deepStrictEqual(
        letters.map(({ uid }) => uid),
        ["e3"]
      )
      assert.deepStrictEqual(left, [])
      assert.strictEqual(metrics.delivered.get("s"), 19)
      assert.strictEqual(messages[0], "s: 2 items were refused for now: 429. Trying again for 1m (--retry-for)")
    })
  )

  it.effect("keeps only the rejected items of a batch where there is no file for them, and stops", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", ({ items }) =>
        Effect.succeed({
          ...deliveredAll,
          rejected: items.filter(({ uid }) => uid === "a").map((item) => ({ item, reason: "answered 400" }))
        })
      )
      const { left, messages } = yield* run(sink, two, { keepsLetters: false })
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(
        left.map(({ items }) => items.map(({ uid }) => uid)),
        [["a"], ["c"]]
      )
      assert.match(messages[0] ?? "", /^s: stopped: 1 item was rejected permanently \(a: answered 400\)/u)
    })
  )

  it.effect("halves a batch until its parts are accepted, in order", () =>
    Effect.gen(function* () {
      const { sink, uids } = memorySink("s", ({ items }) =>
        items.length > 1 ? Effect.fail(new BatchTooLarge()) : taken
      )
      const { left } = yield* run(sink, [batchOf("1", ["a", "b", "c"], "s")])
      assert.deepStrictEqual(uids(), ["a b c", "a b", "a", "b", "c"])
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("marks the parts of a repeated batch as repeats", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", ({ items }) =>
        items.length > 1 ? Effect.fail(new BatchTooLarge()) : taken
      )
      yield* run(sink, [batchOf("1", ["a", "b"], "s")], { isRepeat: true })
      assert.deepStrictEqual(
        sent.map(({ isRepeat }) => isRepeat),
        [true, true, true]
      )
    })
  )

  it.effect("joins the batches of a round for a sink that takes rounds, and keeps them joined until it has them", () =>
    Effect.gen(function* () {
      let isAway = true
      const { sent, sink, uids } = memorySink("s", () => (isAway ? busy : taken))
      const digest = { ...sink, takesRounds: true }
      const shared = [batchOf("1", ["a", "b"], "s", "other"), batchOf("2", ["c"], "s")]
      const { left, status } = yield* run(digest, shared)
      assert.isTrue(uids().every((each) => each === "a b c"))
      assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 1)
      assert.isTrue(status.isBehind)
      assert.deepStrictEqual(
        left.map(({ items, waiting }) => [items.map(({ uid }) => uid).join(" "), waiting.join(" ")]),
        [
          ["a b", "other"],
          ["a b c", "s"]
        ]
      )
      isAway = false
      const later = yield* run(digest, [
        ...left.filter(({ waiting }) => waiting.includes("s")),
        batchOf("3", ["d"], "s")
      ])
      assert.strictEqual(uids().at(-1), "a b c d")
      assert.deepStrictEqual(later.left, [])
      const batches = [batchOf("4", ["e"], "s"), batchOf("5", ["f"], "s")]
      for (const isRepeat of [false, true]) {
        yield* run(digest, batches, { isRepeat })
        assert.strictEqual(sent.at(-1)?.isRepeat, isRepeat)
      }
    })
  )

  it.effect("does not let the reader wait for a sink that takes rounds", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", () => taken)
      const queue = yield* makeSinkQueue(
        { ...sink, takesRounds: true },
        {
          retryFor: Duration.seconds(60),
          deadLetters: undefined,
          metrics: new FeedMetrics(),
          onChange: Effect.void
        }
      )
      for (const batch of two) yield* queue.offer(batch, false)
      assert.strictEqual(queue.status.depth, 0)
      yield* Effect.andThen(queue.end, queue.run)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(FeedState.layerMemory("2026-01-01T00:00:00.000Z")), withMessages([]))
  )

  it.effect("sends nothing more to a sink that is closed", () =>
    Effect.gen(function* () {
      const { sent, sink } = memorySink("s", () => Effect.fail(new SinkClosed({ reason: "standard output is closed" })))
      const { left, status } = yield* run(sink, two)
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(left, two)
      assert.isTrue(status.isClosed)
    })
  )
})

import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { CursorLoop, Unavailable, ValidationFailed } from "@threat-exposure/core/client/ApiError"
import { type FeedOptions, runRound } from "@threat-exposure/cli/feed/Feed"
import { FeedMetrics } from "@threat-exposure/cli/feed/FeedMetrics"
import { FeedState } from "@threat-exposure/cli/feed/FeedState"
import { deliveredAll, SinkBusy } from "@threat-exposure/cli/feed/Sink"
import type { Source } from "@threat-exposure/cli/feed/Sources"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Clock, Duration, Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { eventOf, memorySink, memorySource, withMessages } from "./FeedDoubles.ts"

const day = 86_400_000
const now = Date.parse("2026-11-24T12:00:00Z")
const start = "2026-11-17T12:00:00.000Z"
const at = (daysAgo: number) => new Date(now - daysAgo * day).toISOString()

const refusalAt = (from: string) =>
  new ValidationFailed({ operation: "events.search", status: 422, detail: [], attempts: 1, from })

const optionsWith = (options: Pick<FeedOptions, "sinks" | "sources">): FeedOptions => ({
  serviceTime: Clock.currentTimeMillis,
  shape: "native",
  linkField: "svc_url",
  includeSecrets: false,
  tlp: undefined,
  contents: undefined,
  changes: false,
  overlap: Duration.days(14),
  retryFor: Duration.seconds(30),
  deadLetters: undefined,
  metrics: new FeedMetrics(),
  ...options
})

const round = Effect.fnUntraced(function* (options: FeedOptions) {
  const fiber = yield* Effect.forkChild(runRound(options))
  for (let second = 0; fiber.pollUnsafe() === undefined && second < 100; second += 1) {
    yield* TestClock.adjust("1 second")
  }
  return yield* Fiber.join(fiber)
})

const inFeed = <A, E, R>(
  effect: Effect.Effect<A, E, R | FeedState>,
  messages: Array<string> = [],
  bound: string = start
) =>
  Effect.andThen(TestClock.setTime(now), effect).pipe(
    Effect.provide(FeedState.layerMemory(bound)),
    withMessages(messages),
    Effect.provide(NodeServices.layer)
  )

describe("a round of the feed", () => {
  it.effect("reads from the bound, and later from the overlap; feeds each uid once", () => {
    const pages = [
      [eventOf("a", at(6)), eventOf("b", at(5))],
      [eventOf("b", at(5)), eventOf("c", at(1))]
    ]
    const { reads, source } = memorySource("events", pages)
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const options = optionsWith({ sources: [source], sinks: [sink] })
      const first = yield* round(options)
      assert.deepStrictEqual([...first.waiting], [["s", 0]])
      assert.deepStrictEqual(uids(), ["a b c"])
      pages.push([eventOf("late", at(4))])
      yield* round(options)
      assert.deepStrictEqual(uids(), ["a b c", "late"])
      assert.deepStrictEqual(reads, [
        { since: start, from: null },
        { since: start, from: null }
      ])
      // For a round much later, the overlap begins after the lower bound of the first round.
      yield* TestClock.setTime(now + 30 * day)
      yield* round(options)
      yield* round(options)
      assert.strictEqual(reads.at(-1)?.since, at(-16))
    }).pipe(inFeed)
  })

  it.effect("reads a listing by arrival from its last event on, and misses none that has the same time", () => {
    const arrived = "2026-11-24T11:00:00.000001Z"
    const listing = [eventOf("old", at(90), arrived)]
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    const bounds: Array<string> = []
    const byArrival: Source = {
      ...memorySource("events", [[]]).source,
      byArrival: true,
      pages: (since, from) => {
        bounds.push(since)
        const items = listing.filter(({ metadata }) => (metadata.materialized_at ?? "") >= since)
        return memorySource("events", [items]).source.pages(since, from)
      }
    }
    const credentials = memorySource("credentials", [[eventOf("newer", at(-40))]])
    return Effect.gen(function* () {
      const options = optionsWith({ sources: [byArrival], sinks: [sink] })
      yield* round(options)
      listing.push(eventOf("twin", at(80), arrived))
      yield* round(options)
      yield* TestClock.setTime(now + 40 * day)
      yield* round(options)
      assert.deepStrictEqual(uids(), ["old", "twin"])
      assert.deepStrictEqual(bounds, [start, arrived, arrived])
      // A newer uid of another source makes the state remove those of the last arrival; they must not be passed on
      // again.
      for (let rounds = 0; rounds < 3; rounds += 1) {
        yield* round({ ...options, sources: [byArrival, credentials.source] })
      }
      assert.deepStrictEqual(uids(), ["old", "twin", "newer"])
    }).pipe(inFeed)
  })

  it.effect("reads the overlap by the time of the service, whatever the clock of this machine says", () => {
    const { reads, source } = memorySource("events", [[eventOf("a", at(6))]])
    const { sink } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const options = optionsWith({ sources: [source], sinks: [sink] })
      for (const daysAhead of [40, 80, -80, 40]) {
        yield* TestClock.setTime(now + daysAhead * day)
        yield* round({ ...options, overlap: Duration.days(1), serviceTime: Effect.succeed(now) })
      }
      assert.deepStrictEqual(
        reads.map(({ since }) => since),
        [start, at(1), at(1), at(1)]
      )
    }).pipe(inFeed)
  })

  it.effect("measures the lag by the time of the service", () => {
    const { sink, sent } = memorySink("s", () => Effect.succeed(deliveredAll))
    const { source } = memorySource("events", [[eventOf("a", at(1 / 24))]])
    const slow = {
      ...source,
      pages: (...bounds: Parameters<Source["pages"]>) =>
        Stream.tap(source.pages(...bounds), () => Effect.sleep("3 seconds"))
    }
    const messages: Array<string> = []
    return Effect.gen(function* () {
      yield* TestClock.setTime(now + 60 * day)
      const options = optionsWith({ sources: [slow], sinks: [sink] })
      yield* round({ ...options, serviceTime: Effect.succeed(now) })
      assert.strictEqual(options.metrics.lag, 3603)
      assert.include(messages.at(-1), "2026-11-24T12:00:03.000Z new=1 waiting[s]=0 lag_s=3603 seconds=3")
      assert.include(sent[0]?.items[0]?.line, "2026-11-24T12:00:03.000Z")
    }).pipe((effect) => inFeed(effect, messages))
  })

  it.effect.each([
    ["after a pause, from the last complete round", 30, -14],
    ["after a clock that was ahead, from now", -30, -44]
  ] as const)("reads the overlap %s", ([, daysLater, since]) => {
    const { reads, source } = memorySource("events", [[eventOf("a", at(60))]])
    const { sink } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const options = optionsWith({ sources: [source], sinks: [sink] })
      yield* round(options)
      yield* TestClock.setTime(now + daysLater * day)
      yield* round(options)
      assert.strictEqual(reads[1]?.since, at(-since))
    }).pipe((effect) => inFeed(effect, [], at(100)))
  })

  it.effect("leaves a listing whose end was not reached at its position", () => {
    const { reads, source } = memorySource("events", [[eventOf("a", at(6))], [eventOf("b", at(5))], []])
    const cut: Source = { ...source, pages: (since, from) => Stream.take(source.pages(since, from), 1) }
    const { sink } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const options = optionsWith({ sources: [cut], sinks: [sink] })
      yield* round(options)
      yield* round(options)
      assert.deepStrictEqual(
        reads.map(({ from }) => from),
        [null, "1"]
      )
      assert.strictEqual((yield* (yield* FeedState).position("events"))?.from, "2")
    }).pipe(inFeed)
  })

  it.effect.each([
    [false, "then reads again from the bound", ["1", null]],
    [true, "and leaves late events to the next round if pages cost quota", ["1"]]
  ] as const)("finishes a listing that was cut off, %1", ([costsQuota, , expected]) => {
    const { reads, source } = memorySource("events", [[eventOf("a", at(6))], [eventOf("b", at(5))]])
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const state = yield* FeedState
      yield* state.advance({
        source: "events",
        reached: { began: now - day, since: at(7), from: "1" },
        found: [{ uid: "a", time: now, annotations: "" }],
        batch: undefined
      })
      const options = optionsWith({ sources: [{ ...source, costsQuota }], sinks: [sink] })
      yield* round(options)
      assert.deepStrictEqual(uids(), ["b"])
      const cursors = () => reads.map(({ from }) => from)
      assert.deepStrictEqual(cursors(), [...expected])
      assert.strictEqual(yield* state.position("events"), undefined)
      yield* round(options)
      assert.deepStrictEqual(cursors(), [...expected, null])
    }).pipe(inFeed)
  })

  it.effect("reads a listing from its start if the service refuses the saved position", () => {
    const { source } = memorySource("events", [[eventOf("a", at(6))], [eventOf("b", at(5))]])
    const reads: Array<string | null> = []
    const refusing: Source = {
      name: "events",
      costsQuota: true,
      pages: (since, from) => {
        reads.push(from)
        return from === null ? source.pages(since, from) : Stream.fail(refusalAt(from))
      }
    }
    const messages: Array<string> = []
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    return inFeed(
      Effect.gen(function* () {
        const state = yield* FeedState
        const reached = { began: now - day, since: at(7), from: "of another key" }
        yield* state.advance({ source: "events", reached, found: [], batch: undefined })
        yield* round(optionsWith({ sources: [refusing], sinks: [sink] }))
        assert.deepStrictEqual(reads, ["of another key", null])
        assert.deepStrictEqual(uids(), ["a b"])
        assert.include(messages[0], "no longer accepts the saved position")
      }),
      messages
    )
  })

  it.effect("delivers and remembers what was read before the service failed", () => {
    const { source } = memorySource("events", [[eventOf("a", at(6))], [eventOf("b", at(5))], [eventOf("c", at(4))]])
    const spent: Source = {
      name: "events",
      costsQuota: true,
      pages: (since, from) => Stream.concat(Stream.take(source.pages(since, from), 2), Stream.fail(refusalAt("2")))
    }
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const state = yield* FeedState
      const { readFailure } = yield* round(optionsWith({ sources: [spent], sinks: [sink] }))
      assert.isDefined(readFailure)
      assert.deepStrictEqual(uids(), ["a b"])
      assert.strictEqual((yield* state.position("events"))?.from, "2")
      yield* round(optionsWith({ sources: [source], sinks: [sink] }))
      assert.deepStrictEqual(uids(), ["a b", "c"])
    }).pipe(inFeed)
  })

  it.effect("delivers and remembers what was read before a cursor came again, which is no position", () => {
    const { reads, source } = memorySource("events", [[eventOf("a", at(6))], [eventOf("b", at(5))], []])
    const loop = new CursorLoop({ operation: "events.search", attempts: 1, from: "2" })
    const looping: Source = {
      ...source,
      pages: (since, from) => Stream.concat(Stream.take(source.pages(since, from), 2), Stream.fail(loop))
    }
    const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      const state = yield* FeedState
      for (let rounds = 0; rounds < 2; rounds += 1) {
        const { readFailure } = yield* round(optionsWith({ sources: [looping], sinks: [sink] }))
        assert.isDefined(readFailure)
        assert.isUndefined(yield* state.position("events"))
      }
      assert.deepStrictEqual(uids(), ["a b"])
      assert.deepStrictEqual(
        reads.map(({ from }) => from),
        [null, null]
      )
    }).pipe(inFeed)
  })

  it.effect("reads the other sources where one is at fault, and none where the service is", () =>
    Effect.gen(function* () {
      for (const [failure, sent] of [
        [refusalAt("no page"), ["a"]],
        [new Unavailable({ operation: "events.search", status: 503, cause: undefined, attempts: 1 }), []]
      ] as const) {
        const failing: Source = { name: "first", costsQuota: true, pages: () => Stream.fail(failure) }
        const { source } = memorySource("second", [[eventOf("a", at(6))]])
        const { sink, uids } = memorySink("s", () => Effect.succeed(deliveredAll))
        const { readFailure } = yield* inFeed(round(optionsWith({ sources: [failing, source], sinks: [sink] })))
        assert.include(readFailure?.message, "first: ")
        assert.deepStrictEqual<ReadonlyArray<string>>(uids(), sent)
      }
    })
  )

  it.effect("sends batches that a webhook takes, in the order of the listing", () => {
    const pages = Array.from({ length: 13 }, (_, page) =>
      Array.from({ length: 100 }, (_, item) => eventOf(`${page}/${item}`, at(6)))
    )
    const { source } = memorySource("events", pages)
    const { sent, sink } = memorySink("s", () => Effect.succeed(deliveredAll))
    return Effect.gen(function* () {
      yield* round(optionsWith({ sources: [source], sinks: [sink] }))
      assert.deepStrictEqual(
        sent.map(({ items }) => items.length),
        [500, 500, 300]
      )
      assert.deepStrictEqual(
        sent.flatMap(({ items }) => items.map(({ uid }) => uid)),
        pages.flatMap((page) => page.map(({ metadata }) => metadata.uid))
      )
      assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 3)
    }).pipe(inFeed)
  })

  it.effect("does not let a sink that fails delay another", () => {
    const pages = Array.from({ length: 12 }, (_, page) =>
      Array.from({ length: 20 }, (_, item) => eventOf(`${page}/${item}`, at(6)))
    )
    const { source } = memorySource("events", pages)
    const working = memorySink("works", () => Effect.succeed(deliveredAll))
    const failing = memorySink("fails", () => Effect.fail(new SinkBusy({ reason: "answered 503" })))
    return Effect.gen(function* () {
      const { waiting } = yield* round(optionsWith({ sources: [source], sinks: [working.sink, failing.sink] }))
      assert.strictEqual(working.sent.flatMap(({ items }) => items).length, 240)
      assert.strictEqual(waiting.get("works"), 0)
      assert.strictEqual(waiting.get("fails"), working.sent.length)
    }).pipe(inFeed)
  })

  it.effect("completes an event although many before it cannot be read", () => {
    const uids = Array.from({ length: 250 }, (_, number) => `e${number}`)
    const unread = new Unavailable({ operation: "Events.get", attempts: 1, status: 500, cause: undefined })
    const event = Schema.decodeUnknownSync(Schema.toCodecJson(TypedEvent))({
      event_type: "paste",
      metadata: { uid: "e249", severity: "low" },
      data: { content: "x" }
    })
    const { sink, sent } = memorySink("s", () => Effect.succeed(deliveredAll))
    const contents: FeedOptions["contents"] = {
      get: (uid) => (uid === "e249" ? Effect.succeed(event) : Effect.fail(unread))
    }
    return Effect.gen(function* () {
      const state = yield* FeedState
      yield* state.advance({
        source: "events",
        reached: { completed: now },
        found: uids.map((uid) => ({ uid, time: now, annotations: "" })),
        incomplete: new Map(uids.map((uid) => [uid, { time: now, item: eventOf(uid, at(1)) }])),
        batch: undefined
      })
      const { source } = memorySource("events", [[]])
      yield* round({ ...optionsWith({ sources: [source], sinks: [sink] }), contents })
      assert.deepStrictEqual(
        sent.map(({ items }) => items.map(({ uid }) => uid)),
        [["e249"]]
      )
      assert.strictEqual((yield* state.incomplete).size, 249)
    }).pipe(inFeed)
  })
})

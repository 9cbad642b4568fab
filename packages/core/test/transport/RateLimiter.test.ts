import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { admissionOf, type AttemptFailure, retrying } from "../../src/transport/AttemptFailure.ts"
import { monotonicMillis } from "../../src/transport/MonotonicTime.ts"
import { makeRateLimiter, type RateLimiterOptions } from "../../src/transport/RateLimiter.ts"

const searchTier: RateLimiterOptions = { rate: undefined, defaultInterval: 1000, firstPause: 10_000 }
const basicTier: RateLimiterOptions = { ...searchTier, defaultInterval: 250 }

/** A token bucket. Returns the milliseconds to wait; 0 if the call is admitted. */
const tokenBucket = (rate: number, burst: number) => {
  let fullAt = 0
  return (now: number) => {
    const wait = Math.max(now, fullAt) - now - ((burst - 1) * 1000) / rate
    if (wait > 0) return wait
    fullAt = Math.max(now, fullAt) + 1000 / rate
    return 0
  }
}

/** One token per second, of which another program takes every other one immediately. */
const everyOtherSlot = () => {
  let taken = -1
  return (now: number) => {
    const slot = Math.floor(now / 1000)
    if (slot % 2 === 1 || slot === taken) return 1000 - (now % 1000)
    taken = slot
    return 0
  }
}

interface Scenario {
  readonly options?: RateLimiterOptions
  readonly calls?: number
  readonly concurrency?: number | "unbounded"
  readonly bucket?: (now: number) => number
  readonly sendsRetryAfter?: boolean
  /** Maximum response time in milliseconds, in addition to the time for the request to arrive. */
  readonly answerTime?: number
  /** Milliseconds by which the first request arrives later, because its connection is opened. */
  readonly firstDelay?: number
  /** Another program that shares the limit. */
  readonly competitor?: (bucket: (now: number) => number) => Effect.Effect<void>
}

/** Sends calls through a limiter to a service with the given limit. */
const run = Effect.fnUntraced(function* ({
  answerTime = 100,
  bucket = tokenBucket(1, 1),
  calls = 40,
  competitor,
  concurrency = 4,
  firstDelay = 0,
  options = searchTier,
  sendsRetryAfter = false
}: Scenario) {
  let refused = 0
  let opening = firstDelay
  const admittedAt: Array<number> = []
  const send = Effect.gen(function* () {
    const late = opening
    opening = 0
    yield* Effect.sleep(Math.round(late + 10 + 40 * (yield* Random.next)))
    const now = yield* monotonicMillis
    const wait = bucket(now)
    if (wait === 0) {
      admittedAt.push(now)
      yield* Effect.sleep(Math.round(answerTime * (yield* Random.next)))
      return
    }
    refused++
    return yield* Effect.fail<AttemptFailure>({
      _tag: "Refused",
      isQuotaSpent: false,
      response: {
        status: 429,
        body: Result.succeed({}),
        requestId: undefined,
        retryAfter: sendsRetryAfter ? Math.ceil(wait / 1000) : undefined,
        refusedRedirect: undefined
      }
    })
  })
  const limiter = makeRateLimiter(options)
  const call = Effect.gen(function* () {
    const expiresAt = (yield* monotonicMillis) + 180_000
    yield* retrying(limiter.limit(send, expiresAt, admissionOf), { retries: 4, retryDelay: 250, expiresAt })
  })
  const others = competitor === undefined ? undefined : yield* Effect.forkChild(Effect.forever(competitor(bucket)))
  const begun = yield* monotonicMillis
  let seconds = 0
  const fiber = yield* Effect.replicateEffect(Effect.exit(call), calls, { concurrency }).pipe(
    Effect.tap(() =>
      Effect.map(monotonicMillis, (now) => {
        seconds = (now - begun) / 1000
      })
    ),
    Effect.forkChild
  )
  yield* TestClock.adjust("10 minutes")
  const exits = yield* Fiber.join(fiber)
  if (others !== undefined) yield* Fiber.interrupt(others)
  return { failures: exits.filter(Exit.isFailure).length, refused, seconds, admittedAt }
})

/** The same pseudo-random numbers in every run. */
const seeded = (seed: number) =>
  Effect.provideService(Random.Random, {
    nextDoubleUnsafe: () => {
      seed = (seed * 16807) % 2147483647
      return (seed - 1) / 2147483646
    },
    nextIntUnsafe: () => 0
  })

const seeds = [11, 222, 3333, 44_444, 555_555, 6_666_666, 77_777_777]

const alone: ReadonlyArray<readonly [string, () => Scenario]> = [
  ["one after the other", () => ({ concurrency: 1 })],
  ["four at a time", () => ({})],
  ["all at once", () => ({ concurrency: "unbounded" })],
  ["with Retry-After", () => ({ sendsRetryAfter: true })],
  ["with Retry-After, all at once", () => ({ sendsRetryAfter: true, concurrency: "unbounded" })],
  ["with answers that take up to 2 s", () => ({ answerTime: 2000 })]
]

const wantsEverySecondSlot = (bucket: (now: number) => number) =>
  Effect.gen(function* () {
    while (bucket(yield* monotonicMillis) > 0) yield* Effect.sleep(200)
    yield* Effect.sleep(2000)
  })

/** Scenarios with the maximum number of 429s: the median of all runs, and the maximum. */
const beside: ReadonlyArray<readonly [string, () => Scenario, number, number]> = [
  ["a program that takes every other slot", () => ({ bucket: everyOtherSlot() }), 3, 5],
  ["the same, with Retry-After", () => ({ bucket: everyOtherSlot(), sendsRetryAfter: true }), 5, 8],
  [
    "a program that tries every two seconds",
    () => ({
      competitor: (bucket) =>
        Effect.gen(function* () {
          bucket(yield* monotonicMillis)
          yield* Effect.sleep(2000)
        })
    }),
    5,
    8
  ],
  // This program waits for a slot, so it takes more than half of them.
  ["a program that insists on a slot every two seconds", () => ({ competitor: wantsEverySecondSlot }), 6, 10]
]

describe("40 searches at one a second", () => {
  for (const [name, scenario] of alone) {
    it.effect(`are answered with few 429s: ${name}`, () =>
      Effect.gen(function* () {
        for (const seed of seeds) {
          const { failures, refused, seconds } = yield* run(scenario()).pipe(seeded(seed))
          assert.strictEqual(failures, 0)
          assert.isAtMost(refused, 5)
          assert.isAtMost(seconds, 1.6 * 40 + 10)
        }
      })
    )
  }

  for (const [name, scenario, maxMedian, max] of beside) {
    it.effect(`are answered with few 429s beside ${name}`, () =>
      Effect.gen(function* () {
        const counts: Array<number> = []
        for (const seed of seeds) {
          const { failures, refused, seconds } = yield* run(scenario()).pipe(seeded(seed))
          assert.strictEqual(failures, 0)
          assert.isAtMost(seconds, 1.6 * 80 + 10)
          counts.push(refused)
        }
        // The time between the two starts determines how soon one detects the other.
        assert.isAtMost(counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0, maxMedian)
        assert.isAtMost(Math.max(...counts), max)
      })
    )
  }
})

describe("the interval", () => {
  it.effect("is not lengthened where the service limits nothing", () =>
    Effect.gen(function* () {
      const { refused, seconds } = yield* run({ bucket: () => 0, calls: 200, concurrency: 20 }).pipe(seeded(7))
      assert.strictEqual(refused, 0)
      assert.isAtMost(seconds, 3)
    })
  )

  it.effect("does not hold calls back longer than a limit would while answers are slow", () =>
    Effect.gen(function* () {
      const { admittedAt } = yield* run({
        bucket: () => 0,
        calls: 4,
        concurrency: "unbounded",
        answerTime: 60_000,
        options: basicTier
      }).pipe(seeded(7))
      assert.isAtMost(Math.max(...admittedAt), 1000)
    })
  )

  it.effect("is learned by tier", () =>
    Effect.gen(function* () {
      const { failures, refused, seconds } = yield* run({
        bucket: tokenBucket(4, 4),
        calls: 80,
        options: basicTier
      }).pipe(seeded(7))
      assert.strictEqual(failures, 0)
      assert.isAtMost(refused, 8)
      assert.isAtMost(seconds, 1.6 * 20 + 10)
    })
  )

  it.effect.each([
    ["4 other calls a second", basicTier, 4, 1000],
    ["1 search a second", searchTier, 1, 300]
  ] as const)("comes near a limit of %0, with few 429s", ([, options, rate, calls]) =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const bucket = tokenBucket(rate, rate)
        const { admittedAt, failures, refused } = yield* run({ bucket, calls, options }).pipe(seeded(seed))
        assert.strictEqual(failures, 0)
        assert.isAtMost(refused, 12)
        const half = admittedAt.slice(calls / 2)
        const seconds = ((half.at(-1) ?? 0) - (half[0] ?? 0)) / 1000
        assert.isAtLeast((half.length - 1) / seconds, rate * (rate === 4 ? 0.97 : 0.9))
      }
    })
  )

  it.effect.each([
    ["1 search a second", { ...searchTier, rate: 1 }, 1],
    ["4 other calls a second", { ...basicTier, rate: 4 }, 4]
  ] as const)("causes no 429 if the client's own is the same: %0", ([, options, rate]) =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const { refused } = yield* run({ bucket: tokenBucket(rate, rate), options, firstDelay: 400 }).pipe(seeded(seed))
        assert.strictEqual(refused, 0)
      }
    })
  )

  it.effect("is shortened while answers succeed", () =>
    Effect.gen(function* () {
      let isFirst = true
      const { admittedAt } = yield* run({
        bucket: () => {
          const wait = isFirst ? 1000 : 0
          isFirst = false
          return wait
        },
        calls: 100
      }).pipe(seeded(7))
      const gaps = admittedAt.slice(1).map((at, index) => at - (admittedAt[index] ?? 0))
      assert.isAtLeast(Math.min(...gaps.slice(0, 19)), 1090)
      assert.isAtMost(Math.max(...gaps.slice(-20)), 400)
    })
  )
})

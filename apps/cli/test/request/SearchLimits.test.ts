import { assert, describe, it } from "@effect/vitest"
import { RateLimited } from "@threat-exposure/core/client/ApiError"
import { makeSearchMeter, SearchesStopped } from "@threat-exposure/cli/request/SearchLimits"
import { Effect, Stream } from "effect"

interface Page {
  readonly count: number
  readonly next: string | null
}

/** Pages of 10 results each; counts the pages that are read. */
const listingOf = (pages: number) => {
  const read: Array<number> = []
  const stream: Stream.Stream<Page> = Stream.mapEffect(
    Stream.fromIterable(
      Array.from({ length: pages }, (_, index) => index),
      { chunkSize: 1 }
    ),
    (index) =>
      Effect.sync(() => {
        read.push(index)
        return { count: 10, next: index === pages - 1 ? null : String(index + 1) }
      })
  )
  return { read, stream }
}

const meterOf = (maxSearches: number | undefined, quotaReserve = 0, remaining?: () => number) =>
  makeSearchMeter({
    maxSearches,
    quotaReserve,
    quota: Effect.sync(() => ({ searchesRemaining: remaining?.(), batchReached: undefined }))
  })

const limits = { pageSize: 10, countOf: ({ count }: Page) => count }

describe("the limits of searches", () => {
  it.effect.each([
    [undefined, 25, 25, undefined],
    [3, 25, 25, undefined],
    [2, 25, 20, "it stopped at 2 searches, because the next page may pass --max-searches 2"],
    [1, 11, 10, "it stopped at 1 search, because the next page may pass --max-searches 1"]
  ] as const)("with a maximum of %s, %s pages of ten are read up to %s", ([maxSearches, pages, expected, reason]) =>
    Effect.gen(function* () {
      const { read, stream } = listingOf(pages)
      const exit = yield* Effect.result(Stream.runDrain(meterOf(maxSearches).limit(stream, limits)))
      assert.lengthOf(read, expected)
      if (reason === undefined) return assert.strictEqual(exit._tag, "Success")
      assert(exit._tag === "Failure" && exit.failure instanceof SearchesStopped)
      assert.strictEqual(exit.failure.message, `The result is not complete: ${reason}`)
      assert.strictEqual(exit.failure.exitCode, 3)
    })
  )

  it.effect("count the listings of one run together, each from one search on", () =>
    Effect.gen(function* () {
      const meter = meterOf(2)
      const listings = [listingOf(1), listingOf(1), listingOf(1)]
      const [first, second, third] = yield* Effect.forEach(listings, ({ stream }) =>
        Effect.result(Stream.runDrain(meter.limit(stream, limits)))
      )
      assert.deepStrictEqual([first?._tag, second?._tag, third?._tag], ["Success", "Success", "Failure"])
      assert.deepStrictEqual(listings[2]?.read, [])
    })
  )

  it.effect("stop before the reserve of the quota is used", () =>
    Effect.gen(function* () {
      let remaining = 52
      const { read, stream } = listingOf(40)
      const counting = Stream.tap(stream, () => Effect.sync(() => (remaining = 52 - Math.ceil(read.length / 10))))
      const meter = meterOf(undefined, 50, () => remaining)
      const failure = yield* Effect.flip(Stream.runDrain(meter.limit(counting, limits)))
      assert.include(failure.message, "50 searches of the quota remain and --quota-reserve keeps 50")
      assert.lengthOf(read, 20)
      assert.strictEqual(
        yield* meter.observed,
        "Observed: the quota fell by 2 since the first answer, for all who share the account; 50 searches remain."
      )
    })
  )

  it.effect.each([true, false])("stop at a 429 of a spent quota: %s", (isQuotaSpent) =>
    Effect.gen(function* () {
      const message = "Try again at 2026-12-01T00:00:00Z"
      const limited = new RateLimited({
        operation: "events.search",
        status: 429,
        attempts: 1,
        retryAfter: 1,
        code: "RATELIMIT_REACHED",
        isQuotaSpent,
        message
      })
      const pages: Stream.Stream<Page, RateLimited> = Stream.fail(limited)
      const meter = meterOf(undefined, 0)
      const failure = yield* Effect.flip(Stream.runDrain(meter.limit(pages, limits)))
      if (!isQuotaSpent) return assert.strictEqual(failure, limited)
      assert(failure instanceof SearchesStopped)
      assert.isFalse(failure.isOwnLimit)
      assert.strictEqual(
        failure.message,
        `The result is not complete: The search quota of the service is exhausted: ${message}`
      )
    })
  )
})

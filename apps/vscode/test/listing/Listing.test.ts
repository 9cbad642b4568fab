import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeListing, mergeListings } from "../../src/listing/Listing.ts"

interface Item {
  readonly id: string
  readonly at: string
}

const item = (id: number, at = String(100 - id).padStart(3, "0")): Item => ({ id: String(id), at })

/** A listing, newest first, that can grow at its top. */
const served = (items: Array<Item>, size = 3, order: "asc" | "desc" = "desc") => {
  let asked = 0
  const listing = (atLeast: number) =>
    makeListing<Item, string, never>({
      size: atLeast,
      key: ({ id }) => id,
      order,
      page: (from) =>
        Effect.sync(() => {
          asked++
          const start = from === undefined ? 0 : items.findIndex(({ id }) => id === from) + 1
          const page = items.slice(start, start + size)
          return { items: page, next: start + size < items.length ? (page.at(-1)?.id ?? null) : null }
        })
    })
  return { listing, asked: () => asked }
}

const ids = (items: ReadonlyArray<Item>) => items.map(({ id }) => id)

describe("a listing", () => {
  it.effect("requests its first page once, and returns as many items as one load should", () =>
    Effect.gen(function* () {
      const { asked, listing } = served([1, 2, 3, 4, 5, 6, 7, 8].map((id) => item(id)))
      const events = yield* listing(5)
      yield* events.first
      const { hasMore, items } = yield* events.first
      assert.deepStrictEqual(ids(items), ["1", "2", "3", "4", "5", "6"])
      assert.isTrue(hasMore)
      assert.strictEqual(asked(), 2)
      assert.isFalse((yield* events.more).hasMore)
      assert.strictEqual((yield* events.more).items.length, 8)
      assert.strictEqual(asked(), 3)
    })
  )

  it.effect("drops items that a refresh no longer returns", () =>
    Effect.gen(function* () {
      const all = [1, 2, 3, 4, 5, 6, 7].map((id) => item(id))
      const { listing } = served(all)
      const events = yield* listing(3)
      yield* events.first
      yield* events.more
      all.splice(1, 1)
      assert.deepStrictEqual(ids((yield* events.refresh).items), ["1", "3", "4", "5", "6"])
    })
  )

  it.effect("starts again if an old item has moved to the top of the page", () =>
    Effect.gen(function* () {
      const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((id) => item(id))
      const { listing } = served(all)
      const events = yield* listing(9)
      yield* events.first
      const [moved = item(9)] = all.splice(8, 1)
      all.splice(2, 0, moved)
      const { hasMore, items } = yield* events.refresh
      assert.deepStrictEqual(ids(items), ["1", "2", "9"])
      assert.isTrue(hasMore)
      assert.deepStrictEqual(ids((yield* events.more).items), ["1", "2", "9", "3", "4", "5", "6", "7", "8", "10"])
    })
  )

  it.effect("shows an item once that has moved from further down to the top", () =>
    Effect.gen(function* () {
      const all = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => item(id))
      const { listing } = served(all)
      const events = yield* listing(6)
      yield* events.first
      all.unshift(...all.splice(4, 1))
      assert.deepStrictEqual(ids((yield* events.refresh).items), ["5", "1", "2", "3", "4", "6"])
      assert.deepStrictEqual(ids((yield* events.more).items), ["5", "1", "2", "3", "4", "6", "7", "8"])
    })
  )

  it.effect("finds new items at the end if the oldest come first", () =>
    Effect.gen(function* () {
      const all = [1, 2, 3, 4].map((id) => item(id))
      const { asked, listing } = served(all, 3, "asc")
      const events = yield* listing(3)
      yield* events.first
      yield* events.more
      all.push(item(5), item(6), item(7))
      const { hasMore, items } = yield* events.refresh
      assert.deepStrictEqual(ids(items), ["1", "2", "3", "4", "5", "6"])
      assert.isTrue(hasMore)
      assert.strictEqual(asked(), 3)
      assert.strictEqual((yield* events.more).items.length, 7)
    })
  )

  it.effect("puts new items on top and keeps the loaded ones below", () =>
    Effect.gen(function* () {
      const all = [1, 2, 3, 4, 5, 6, 7].map((id) => item(id))
      const { asked, listing } = served(all)
      const events = yield* listing(3)
      yield* events.first
      yield* events.more
      all.unshift(item(0))
      const { hasMore, items } = yield* events.refresh
      assert.deepStrictEqual(ids(items), ["0", "1", "2", "3", "4", "5", "6"])
      assert.isTrue(hasMore)
      assert.strictEqual(asked(), 3)
    })
  )

  it.effect("continues over empty and short pages", () =>
    Effect.gen(function* () {
      const pages = [[], [item(1)], [], [item(2)]]
      const events = yield* makeListing<Item, never, never>({
        size: 2,
        key: ({ id }) => id,
        page: (from) =>
          Effect.sync(() => {
            const at = Number(from ?? 0)
            return { items: pages[at] ?? [], next: at + 1 < pages.length ? String(at + 1) : null }
          })
      })
      assert.deepStrictEqual(ids((yield* events.first).items), ["1", "2"])
    })
  )

  it.effect.each([
    { name: "an empty page", page: () => ({ items: [], next: "1" }), ids: [] },
    { name: "the same page", page: () => ({ items: [item(1)], next: "1" }), ids: ["1"] },
    {
      name: "two pages in turn",
      page: (from: string | undefined) =>
        from === "1" ? { items: [item(2)], next: "2" } : { items: [item(1)], next: "1" },
      ids: ["1", "2"]
    },
    {
      name: "empty pages under other cursors",
      page: (from: string | undefined) => ({ items: [], next: String(Number(from ?? 0) + 1) }),
      ids: []
    }
  ])("ends with a failure where the service repeats $name", ({ ids: expected, page }) =>
    Effect.gen(function* () {
      const events = yield* makeListing<Item, never, never>({
        size: 10,
        key: ({ id }) => id,
        page: (from) => Effect.sync(() => page(from))
      })
      assert.strictEqual((yield* Effect.flip(events.first))._tag, "Endless")
      assert.deepStrictEqual(ids(events.now().items), expected)
      assert.isTrue(events.now().hasMore)
      assert.strictEqual((yield* Effect.flip(events.more))._tag, "Endless")
    })
  )

  it.effect("is unchanged after a failure", () =>
    Effect.gen(function* () {
      let isUp = true
      const events = yield* makeListing<Item, string, never>({
        size: 1,
        key: ({ id }) => id,
        page: () => Effect.suspend(() => (isUp ? Effect.succeed({ items: [item(1)], next: "1" }) : Effect.fail("down")))
      })
      yield* events.first
      isUp = false
      assert.strictEqual(yield* Effect.flip(events.refresh), "down")
      assert.strictEqual(yield* Effect.flip(events.more), "down")
      assert.deepStrictEqual(ids(events.now().items), ["1"])
    })
  )

  for (const order of ["asc", "desc"] as const) {
    it.effect.prop(
      `shows every item once and requests no page again, whichever pages fail (${order})`,
      [
        Schema.Array(Schema.Boolean).check(Schema.isMaxLength(12)),
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
      ],
      ([failures, size, added]) =>
        Effect.gen(function* () {
          const requested: Array<string> = []
          const all = Array.from({ length: 12 }, (_, id) => item(id))
          const outcomes = failures.values()
          const events = yield* makeListing<Item, string, never>({
            size,
            key: ({ id }) => id,
            order,
            page: (from) =>
              Effect.suspend(() => {
                if (outcomes.next().value === true) return Effect.fail("down")
                requested.push(from ?? "top")
                const start = from === undefined ? 0 : all.findIndex(({ id }) => id === from) + 1
                const items = all.slice(start, start + 2)
                return Effect.succeed({ items, next: start + 2 < all.length ? (items.at(-1)?.id ?? null) : null })
              })
          })
          const untilItSucceeds = (load: typeof events.first) => Effect.retry(load, { times: failures.length })
          yield* untilItSucceeds(events.first)
          assert.strictEqual(new Set(requested).size, requested.length)
          yield* untilItSucceeds(events.more)
          assert.strictEqual(new Set(requested).size, requested.length)
          const fresh = Array.from({ length: added }, (_, id) => item(100 + id))
          if (order === "asc") all.push(...fresh)
          else all.unshift(...fresh)
          yield* untilItSucceeds(events.refresh)
          while (events.now().hasMore) yield* untilItSucceeds(events.more)
          assert.deepStrictEqual(ids(events.now().items), ids(all))
        }),
      { arbitrary: { runs: 300 } }
    )
  }

  it.effect("keeps the new pages of a refresh that failed before it reached a loaded item", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 6 }, (_, id) => item(10 + id))
      const requested: Array<string> = []
      let fails = ""
      const events = yield* makeListing<Item, string, never>({
        size: 2,
        key: ({ id }) => id,
        page: (from) =>
          Effect.suspend(() => {
            if (from === fails) return Effect.fail("down")
            requested.push(from ?? "top")
            const start = from === undefined ? 0 : all.findIndex(({ id }) => id === from) + 1
            const items = all.slice(start, start + 2)
            return Effect.succeed({ items, next: start + 2 < all.length ? (items.at(-1)?.id ?? null) : null })
          })
      })
      yield* events.first
      all.unshift(item(1), item(2), item(3), item(4))
      fails = "2"
      assert.strictEqual(yield* Effect.flip(events.refresh), "down")
      fails = ""
      assert.deepStrictEqual(ids((yield* events.refresh).items), ["1", "2", "3", "4", "10", "11"])
      assert.deepStrictEqual(requested, ["top", "top", "2", "4", "top"])
    })
  )

  it.effect("can contain ten thousand items", () =>
    Effect.gen(function* () {
      const events = yield* served(
        Array.from({ length: 10_000 }, (_, id) => item(id, String(id))),
        1000
      ).listing(10_000)
      assert.strictEqual((yield* events.first).items.length, 10_000)
      assert.strictEqual((yield* events.refresh).items.length, 10_000)
    })
  )
})

describe("several listings as one", () => {
  const merged = Effect.fnUntraced(function* (...sources: ReadonlyArray<Array<Item>>) {
    const listings = yield* Effect.forEach(sources, (items) => served(items, 2).listing(2))
    return mergeListings({
      listings,
      key: ({ id }) => id,
      time: ({ at }) => at,
      combine: (a) => a,
      size: 2
    })
  })

  it.effect(
    "shows an item only when all listings have been read down to its time, so that nothing is inserted later",
    () =>
      Effect.gen(function* () {
        const events = yield* merged(
          [item(1, "90"), item(2, "80"), item(3, "10")],
          [item(4, "85"), item(5, "50"), item(6, "40"), item(7, "30")]
        )
        const first = yield* events.first
        assert.deepStrictEqual(ids(first.items), ["1", "4", "2"])
        const second = yield* events.more
        assert.deepStrictEqual(ids(second.items).slice(0, 3), ["1", "4", "2"])
        let all = second
        while (all.hasMore) all = yield* events.more
        assert.deepStrictEqual(ids(all.items), ["1", "4", "2", "5", "6", "7", "3"])
      })
  )

  it.effect("shows an item of several listings once", () =>
    Effect.gen(function* () {
      const events = yield* merged([item(1, "90")], [item(1, "90"), item(2, "80")])
      assert.deepStrictEqual(ids((yield* events.first).items), ["1", "2"])
    })
  )

  it.effect("merges again only what has changed", () =>
    Effect.gen(function* () {
      const events = yield* merged([item(1, "90")], [item(2, "80"), item(3, "70"), item(4, "60")])
      yield* events.first
      const first = events.now()
      assert.strictEqual(events.now(), first)
      yield* events.more
      assert.notStrictEqual(events.now(), first)
      assert.deepStrictEqual(ids(events.now().items), ["1", "2", "3", "4"])
    })
  )

  it("is empty if there are no listings", () => {
    const none = mergeListings<Item, never>({
      listings: [],
      key: ({ id }) => id,
      time: ({ at }) => at,
      combine: (a) => a,
      size: 1
    })
    assert.deepStrictEqual(none.now(), { items: [], hasMore: false, asOf: undefined })
  })
})

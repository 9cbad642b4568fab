import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

interface Arrival {
  readonly number: number
  readonly at: string
}

describeOnEngines("materialized_at", ({ stores }) => {
  const arrivals = Effect.map(ServiceForTest, ({ call }) => {
    const page = Effect.fnUntraced(function* (search: object, path = "/v4/events/tenant/_search") {
      const { body, status } = yield* call(1, "POST", path, search)
      assert.strictEqual(status, 200, JSON.stringify(body))
      const items: ReadonlyArray<Arrival> = body.items.map(({ metadata }: any) => ({
        number: Number(metadata.uid.split("/")[2]),
        at: metadata.materialized_at
      }))
      return { items, next: body.next as string | null }
    })
    const all = Effect.fnUntraced(function* (filters: object, order: "asc" | "desc" = "asc", size = 3) {
      const found: Array<Arrival> = []
      let from: string | null = null
      do {
        const { items, next }: { readonly items: ReadonlyArray<Arrival>; readonly next: string | null } = yield* page({
          filters,
          order,
          size,
          from
        })
        found.push(...items)
        from = next
      } while (from !== null)
      return found
    })
    return { page, all }
  })
  const create = Effect.fnUntraced(function* (name: string) {
    const { call } = yield* ServiceForTest
    return (yield* call(1, "POST", "/v2/assets/", { name, type: "keyword" })).body.asset.id as number
  })
  const paste = (number: number, content: string) => eventForTest(100 - number, "paste", { content })
  const numbers = (found: ReadonlyArray<Arrival>) => found.map(({ number }) => 100 - number)

  it.live("orders arrivals, each by its first match", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { all, page } = yield* arrivals
      const since = { materialized_at: { gt: "2020-01-01" } }
      assert.deepStrictEqual(yield* all(since), [])
      yield* create("alpha")
      yield* loadEvents(paste(1, "alpha"), paste(2, "alpha beta"), paste(3, "beta"))
      yield* loadEvents(paste(4, "alpha"))
      const first = yield* all(since)
      assert.deepStrictEqual(numbers(first).toSorted(), [1, 2, 4])
      assert.deepStrictEqual(numbers(first).at(-1), 4)
      for (const { at } of first) assert.match(at, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/u)

      // An event that has arrived keeps its position; the third event arrives with the identifier.
      const beta = yield* create("beta")
      yield* loadEvents(paste(1, "alpha again"), paste(2, "beta alone"))
      const second = yield* all(since)
      assert.deepStrictEqual(second.slice(0, 3), first)
      assert.deepStrictEqual(numbers(second), [...numbers(first), 3])
      assert.deepStrictEqual(yield* all(since, "desc"), second.toReversed())
      const times = second.map(({ at }) => at)
      assert.deepStrictEqual(times, [...new Set(times)].toSorted())

      // Bounds are exact.
      for (const [index, { at }] of second.entries()) {
        const within = (bounds: object) => Effect.map(all({ materialized_at: bounds }), numbers)
        assert.deepStrictEqual(yield* within({ gte: at }), numbers(second.slice(index)))
        assert.deepStrictEqual(yield* within({ gt: at }), numbers(second.slice(index + 1)))
        assert.deepStrictEqual(yield* within({ lte: at }), numbers(second.slice(0, index + 1)))
        assert.deepStrictEqual(yield* within({ lt: at }), numbers(second.slice(0, index)))
        assert.deepStrictEqual(yield* within({ gte: at, lte: at }), numbers([second[index] ?? assert.fail()]))
      }
      const query = { type: "keyword", keyword: "beta" }
      assert.deepStrictEqual(numbers((yield* page({ filters: since, order: "asc", query })).items), [2, 3])
      assert.deepStrictEqual(numbers(yield* all({ ...since, type: ["paste"], severity: "low" })), numbers(second))
      assert.deepStrictEqual(yield* all({ ...since, type: ["chat_message"] }), [])
      yield* call(1, "POST", "/v4/events/actions", {
        targets: [{ uid: "test/source/96" }],
        action: { type: "ignore" }
      })
      assert.deepStrictEqual(numbers(yield* all(since)), [...numbers(first).slice(0, 2), 3])
      assert.deepStrictEqual(numbers(yield* all({ ...since, is_ignored: true })), [4])

      // Other listings show the time; without a bound, they are in the order of estimated_created_at.
      const listed = (yield* page({ order: "asc" })).items
      assert.deepStrictEqual(numbers(listed), [3, 2, 1])
      assert.sameDeepMembers(
        [...listed],
        [second[3], ...second.slice(0, 2)].map((arrival) => arrival ?? assert.fail())
      )
      const ofIdentifier = yield* page({}, `/v4/events/identifiers/${beta}/_search`)
      assert.deepStrictEqual(
        ofIdentifier.items.find(({ number }) => number === 98),
        second.find(({ number }) => number === 98)
      )
      const other = yield* call(2, "POST", "/v4/events/tenant/_search", { filters: since })
      assert.deepStrictEqual(other.body.items, [])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("lets a reader that goes on after the last arrival miss and repeat nothing, while events are loaded", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const { page } = yield* arrivals
      yield* create("common")
      let isLoading = true
      const read: Array<Arrival> = []
      const reader = Effect.gen(function* () {
        for (let last = "2020-01-01T00:00:00Z", isLast = false; ;) {
          // Reads once more after the last load.
          if (!isLoading) isLast = true
          const { items } = yield* page({ order: "asc", filters: { materialized_at: { gt: last } } })
          read.push(...items)
          last = items.at(-1)?.at ?? last
          if (items.length === 0 && isLast) return
          yield* Effect.sleep("1 millis")
        }
      })
      const loads = Effect.forEach(
        [0, 1, 2, 3],
        Effect.fnUntraced(function* (loader) {
          for (let round = 0; round < 4; round += 1) {
            const events = Array.from({ length: 6 }, (_, at) => paste(-(loader * 24 + round * 6 + at), "common other"))
            yield* loadEvents(...events)
            if (loader === 0 && round === 1) yield* create("other")
          }
        }),
        { concurrency: 4, discard: true }
      ).pipe(Effect.ensuring(Effect.sync(() => (isLoading = false))))
      yield* Effect.all([reader, loads], { concurrency: 2 })
      assert.deepStrictEqual(
        read.map(({ number }) => number).toSorted((a, b) => a - b),
        Array.from({ length: 96 }, (_, at) => 100 + at)
      )
      const times = read.map(({ at }) => at)
      assert.deepStrictEqual(times, times.toSorted())
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

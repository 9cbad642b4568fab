import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../src/client/ApiError.ts"
import type { ClientOptions } from "../../src/client/ClientOptions.ts"
import { Credentials } from "../../src/client/Credentials.ts"
import { Events } from "../../src/client/Events.ts"
import { MatchingPolicies } from "../../src/client/MatchingPolicies.ts"
import { Recommendations } from "../../src/client/Recommendations.ts"
import { identifierEvent } from "../../testing/Samples.ts"
import { finish, json, makeScript, over, refusal, type Sent, settle, stalledBody } from "./Script.ts"

const credential = (id: number) => ({ id, identity_name: "someone@example.com", imported_at: "2026-01-01T00:00:00Z" })

/** A service with `total` credentials, whose cursor is the position. */
const holding =
  (total: number, item: (id: number) => unknown = credential) =>
  ({ body }: Sent) => {
    const { from, size } = pageOf(body)
    const start = from === undefined ? 0 : Number(from)
    const end = Math.min(start + size, total)
    return json({
      items: Array.from({ length: end - start }, (_, i) => item(start + i)),
      next: end === total ? null : String(end)
    })
  }

const pageOf = (body: unknown) => {
  const { from, size = 10 } = Object(body)
  return { from, size }
}

const domain = { type: "domain", fqdn: "example.com" } as const
const ids = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)
const upTo = (total: number) => Array.from({ length: total }, (_, i) => i)
const collect = (request: { readonly size?: number; readonly from?: string | null } = {}) =>
  Effect.flatMap(Credentials, (credentials) => Stream.runCollect(credentials.search({ query: domain, ...request })))

describe("a listing", () => {
  it.effect("yields every item once, in order, with any page size", () =>
    Effect.gen(function* () {
      for (const size of [1, 7, 10, 100, 10_000]) {
        const script = yield* makeScript(holding(57))
        assert.deepStrictEqual(ids(yield* collect({ size }).pipe(over(script.layer()))), upTo(57))
        assert.strictEqual(script.sent.length, Math.ceil(57 / size))
      }
    })
  )

  it.effect("sends the same request for every page, except for the cursor", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(holding(25))
      const search = Effect.flatMap(Credentials, (credentials) =>
        Stream.runDrain(
          credentials.search({
            query: domain,
            filters: { imported_at: { gte: "2026-01-01T00:00:00Z" } },
            include: ["urls"],
            order: "asc"
          })
        )
      )
      yield* search.pipe(over(script.layer()))
      const rest = {
        query: domain,
        filters: { imported_at: { gte: "2026-01-01T00:00:00Z" } },
        include: ["urls"],
        order: "asc"
      }
      assert.deepStrictEqual(
        script.sent.map(({ body }) => body),
        [rest, { ...rest, from: "10" }, { ...rest, from: "20" }]
      )
    })
  )

  it.effect("continues over empty and short pages, and ends if next is null or absent", () =>
    Effect.gen(function* () {
      for (const end of [{ items: [credential(3)], next: null }, { items: [credential(3)] }]) {
        const script = yield* makeScript(
          json({ items: [], next: "a" }),
          json({ items: [credential(1)], next: "b" }),
          json({ items: [], next: "c" }),
          json({ items: [], next: "d" }),
          json({ items: [credential(2)], next: "e" }),
          json(end)
        )
        assert.deepStrictEqual(ids(yield* collect().pipe(over(script.layer()))), [1, 2, 3])
      }
      const script = yield* makeScript(json({ items: [], next: "a" }), json({ items: [], next: null }))
      const pages = Effect.flatMap(Credentials, (credentials) =>
        Stream.runCollect(credentials.pages({ query: domain }))
      )
      assert.deepStrictEqual(yield* pages.pipe(over(script.layer())), [
        { items: [], next: "a" },
        { items: [], next: null }
      ])
    })
  )

  it.effect("resumes from the cursor of a page, in items and in pages", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(holding(30))
      const firstPage = Effect.flatMap(Credentials, (credentials) =>
        Stream.runCollect(Stream.take(credentials.pages({ query: domain }), 1))
      )
      const [page] = yield* firstPage.pipe(over(script.layer()))
      const rest = yield* collect({ from: page?.next ?? null }).pipe(over(script.layer()))
      assert.deepStrictEqual([...ids(page?.items ?? []), ...ids(rest)], upTo(30))
      const anew = yield* collect({ from: null }).pipe(over(script.layer()))
      assert.deepStrictEqual(ids(anew), upTo(30))
    })
  )

  describe("reads one page ahead, and no more,", () => {
    const requestsAtEachPage = Effect.fnUntraced(function* (
      options: Partial<ClientOptions>,
      items: Effect.Effect<Stream.Stream<unknown, ApiError>, never, Credentials | Events>
    ) {
      const script = yield* makeScript((sent) =>
        holding(60, sent.url.includes("credentials") ? credential : () => identifierEvent())(sent)
      )
      const counts: Array<number> = []
      const slowly = Effect.flatMap(items, (stream) =>
        Stream.runForEachArray(stream, () =>
          Effect.gen(function* () {
            yield* Effect.sleep(1000)
            counts.push(script.sent.length)
          })
        )
      )
      yield* slowly.pipe(over(script.layer(options)))
      return counts
    })
    const searched = Effect.map(Credentials, (credentials) => credentials.search({ query: domain }))
    const paged = Effect.map(Credentials, (credentials) => credentials.pages({ query: domain }))
    const matched = Effect.map(Events, (events) => events.ofIdentifier(1))
    const matchedPages = Effect.map(Events, (events) => events.pagesOfIdentifier(1))

    it.effect("if a page costs quota and readAhead is set", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* requestsAtEachPage({}, searched), [1, 2, 3, 4, 5, 6])
        assert.deepStrictEqual(yield* requestsAtEachPage({ readAhead: true }, searched), [2, 3, 4, 5, 6, 6])
      })
    )

    it.effect("if a page costs no quota", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* requestsAtEachPage({}, matched), [2, 3, 4, 5, 6, 6])
      })
    )

    it.effect("never in pages", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* requestsAtEachPage({ readAhead: true }, paged), [1, 2, 3, 4, 5, 6])
        assert.deepStrictEqual(yield* requestsAtEachPage({ readAhead: true }, matchedPages), [1, 2, 3, 4, 5, 6])
      })
    )
  })

  it.effect("costs one request if only the first page is read", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(holding(60))
      const first = Effect.gen(function* () {
        const credentials = yield* Credentials
        yield* Stream.runCollect(Stream.take(credentials.pages({ query: domain }), 1))
        yield* Stream.runHead(credentials.pages({ query: domain }))
        yield* Stream.runHead(credentials.search({ query: domain }))
        yield* Stream.runCollect(Stream.take(credentials.search({ query: domain }), 10))
      })
      yield* first.pipe(over(script.layer({ readAhead: true })))
      yield* settle
      assert.strictEqual(script.sent.length, 4)
    })
  )

  it.effect("aborts the page in flight when its reader stops or is interrupted", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(holding(60), "stall")
      const stops = Effect.flatMap(Credentials, (credentials) =>
        Stream.runForEachWhile(credentials.search({ query: domain }), () => Effect.as(Effect.sleep(1000), false))
      )
      yield* stops.pipe(over(script.layer({ readAhead: true })))
      assert.deepStrictEqual(
        script.sent.map(({ signal }) => signal.aborted),
        [false, true]
      )

      const second = yield* makeScript(holding(60), "stall")
      const fiber = yield* Effect.forkChild(collect().pipe(Effect.provide(second.layer())))
      yield* settle
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        second.sent.map(({ signal }) => signal.aborted),
        [false, true]
      )
    })
  )

  it.effect("reports where it failed, after it has yielded everything before", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const reading = (from?: string) =>
        Effect.flatMap(Credentials, (credentials) =>
          Stream.runForEach(
            credentials.search(from === undefined ? { query: domain } : { query: domain, from }),
            ({ id }) => Effect.sync(() => seen.push(id))
          )
        )
      const later = yield* makeScript(holding(30), holding(30), refusal(500))
      assert.deepInclude(yield* Effect.flip(reading()).pipe(over(later.layer())), { _tag: "Unavailable", from: "20" })
      assert.deepStrictEqual(seen, upTo(20))

      const first = yield* makeScript(refusal(500))
      assert.deepInclude(yield* Effect.flip(reading()).pipe(over(first.layer())), { from: null })
      assert.deepInclude(yield* Effect.flip(reading("x")).pipe(over(first.layer())), { from: "x" })

      const unreadable = yield* makeScript(holding(30), json({ items: [5], next: "30" }), holding(30))
      const error = yield* Effect.flip(reading()).pipe(over(unreadable.layer()))
      assert.deepInclude(error, { _tag: "UnexpectedResponse", from: "10" })
    })
  )

  it.effect("ends with CursorLoop when a cursor comes back, after that page's items", () =>
    Effect.gen(function* () {
      for (const [cursors, from, seen] of [
        [["a", "a"], undefined, [0, 1]],
        [["a", "b", "a"], undefined, [0, 1, 2]],
        [["a", "b", "b"], undefined, [0, 1, 2]],
        [["start"], "start", [0]]
      ] as const) {
        const script = yield* makeScript(...cursors.map((next, id) => json({ items: [credential(id)], next })))
        const given: Array<number> = []
        const error = yield* Effect.flatMap(Credentials, (credentials) =>
          Stream.runForEach(
            credentials.search(from === undefined ? { query: domain } : { query: domain, from }),
            ({ id }) => Effect.sync(() => given.push(id))
          )
        ).pipe(Effect.flip, over(script.layer()))
        assert.deepInclude(error, { _tag: "CursorLoop", from: cursors[cursors.length - 1] ?? "" })
        assert.deepStrictEqual(given, [...seen])
        assert.strictEqual(script.sent.length, cursors.length)
      }
    })
  )

  it.effect("fails, and can be resumed, after a thousand empty pages in a row", () =>
    Effect.gen(function* () {
      let page = 0
      const endless = yield* makeScript(() => {
        page += 1
        return json({ items: page === 900 ? [credential(1)] : [], next: `page-${page}` })
      })
      const given: Array<number> = []
      const error = yield* Effect.flatMap(Credentials, (credentials) =>
        Stream.runForEach(credentials.search({ query: domain }), ({ id }) => Effect.sync(() => given.push(id)))
      ).pipe(Effect.flip, over(endless.layer()))
      assert.deepInclude(error, { _tag: "UnexpectedResponse", from: "page-1900" })
      assert.deepStrictEqual(given, [1])
      assert.strictEqual(endless.sent.length, 1900)
    })
  )

  it.effect("finds the cursor anywhere in the body, escaped or not", () =>
    Effect.gen(function* () {
      const odd = 'a"b\\c/é='
      const item = JSON.stringify(credential(1))
      const nested = JSON.stringify({ ...credential(2), urls: ['"next":"trap"}'] })
      const bodies = [
        `{"next":${JSON.stringify(odd)},"items":[${item}]}`,
        `{"items":[${item}],"next":${JSON.stringify(odd + "1")}}`,
        `{"items":[${item}],"next":"plain","extra":{"next":"trap"}}`,
        `{"extra":{"next":"trap"},"items":[${nested}],"next" : "last" }\n`,
        `{"items":[${nested}],"next":null}`
      ]
      const script = yield* makeScript(...bodies.map((body) => new Response(body)))
      yield* collect().pipe(over(script.layer()))
      assert.deepStrictEqual(
        script.sent.map(({ body }) => pageOf(body).from),
        [undefined, odd, `${odd}1`, "plain", "last"]
      )
    })
  )

  it.effect("of a GET sends its cursor and size in the query", () =>
    Effect.gen(function* () {
      const item = { id: 1, data: {}, status: "recommended" }
      const assignment = { identifier_id: 1 }
      const script = yield* makeScript(
        json({ items: [item], next: "a/b" }),
        json({ items: [], next: null }),
        json({ items: [assignment], next: "c" }),
        json({ items: [], next: null })
      )
      const both = Effect.gen(function* () {
        const recommendations = yield* Recommendations
        yield* Stream.runDrain(
          recommendations.list({ types: ["domain", "email"], status: "recommended", size: 100, from: undefined })
        )
        const policies = yield* MatchingPolicies
        yield* Stream.runDrain(policies.assignments("a uuid", { order: "asc", size: 5 }))
      })
      yield* both.pipe(over(script.layer()))
      assert.deepStrictEqual(
        script.sent.map(({ method, url }) => `${method} ${url.replace("https://api.example.com/svc/v4", "")}`),
        [
          "GET /identifier-recommendations/?types=domain&types=email&status=recommended&size=100",
          "GET /identifier-recommendations/?types=domain&types=email&status=recommended&size=100&from=a%2Fb",
          "GET /matching-policies/a%20uuid/assignments?order=asc&size=5",
          "GET /matching-policies/a%20uuid/assignments?order=asc&size=5&from=c"
        ]
      )
    })
  )

  it.effect("of events may start without a request, and of one identifier without a query", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({ items: [], next: null }))
      const both = Effect.gen(function* () {
        const events = yield* Events
        yield* Stream.runDrain(events.search())
        yield* Stream.runDrain(events.ofIdentifier(7))
        yield* Stream.runDrain(events.pagesOfIdentifier(7, { filters: { status: ["open"] } }))
      })
      yield* both.pipe(over(script.layer()))
      assert.deepStrictEqual(
        script.sent.map(({ body, url }) => [new URL(url).pathname, body]),
        [
          ["/svc/v4/events/global/_search", {}],
          ["/svc/v4/events/identifiers/7/_search", {}],
          ["/svc/v4/events/identifiers/7/_search", { filters: { status: ["open"] } }]
        ]
      )
    })
  )
})

describe("a page of credentials that the service cannot serve", () => {
  const sizes = (sent: ReadonlyArray<Sent>) => sent.map(({ body }) => pageOf(body).size)
  /** Serves pages of up to `most` items; larger requests end in `failure`. */
  const servingAtMost = (most: number, total: number, failure: (sent: Sent) => Response | "stall") => (sent: Sent) =>
    pageOf(sent.body).size > most ? failure(sent) : holding(total)(sent)

  it.effect("is requested at half the size at once, after 504 and after a timeout", () =>
    Effect.gen(function* () {
      for (const failure of [
        () => refusal(504),
        () => new Response("<html>504 Gateway Time-out</html>", { status: 504 }),
        () => "stall" as const,
        (sent: Sent) => stalledBody('{"items":[', sent.signal)
      ]) {
        const script = yield* makeScript(servingAtMost(300, 1000, failure))
        const found = yield* collect({ size: 1000 }).pipe(over(script.layer({ retries: 0, timeout: 500 })))
        assert.deepStrictEqual(ids(found), upTo(1000))
        assert.deepStrictEqual(sizes(script.sent), [1000, 500, 250, 250, 500, 250, 250])
      }
    })
  )

  it.effect("is requested without a pause, and uses no retry", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        refusal(503),
        refusal(504),
        refusal(504),
        refusal(503),
        json({ items: [credential(1)], next: null })
      )
      const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* collect({ size: 8 }).pipe(over(script.layer({ retries: 2, retryDelay: 1000 })))
      assert.deepStrictEqual(sizes(script.sent), [8, 8, 4, 2, 2])
      const times = script.sent.map(({ at }) => at - begun)
      assert.isTrue(times[1] === times[2] && times[2] === times[3])
    })
  )

  it.effect("shrinks to one item, whose failures are retried like others", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(504))
      const error = yield* Effect.flip(collect({ size: 10 })).pipe(over(script.layer({ retries: 2 })))
      assert.deepStrictEqual(sizes(script.sent), [10, 5, 2, 1, 1, 1])
      assert.deepInclude(error, { _tag: "Unavailable", status: 504, attempts: 6, from: null })
    })
  )

  it.effect("may be in the middle: the cursor is sent again, and every item is yielded once", () =>
    Effect.gen(function* () {
      let isSlow = true
      const script = yield* makeScript((sent) => {
        const { from, size } = pageOf(sent.body)
        if (from === "20" && isSlow && size > 2) return refusal(504)
        return holding(50)(sent)
      })
      const found = yield* collect({ size: 10 }).pipe(over(script.layer({ retries: 0 })))
      assert.deepStrictEqual(ids(found), upTo(50))
      assert.deepStrictEqual(sizes(script.sent).slice(0, 6), [10, 10, 10, 5, 2, 2])
      isSlow = false
    })
  )

  it.effect("grows again after pages that succeed, up to the requested size", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(504), refusal(504), refusal(504), holding(60))
      assert.deepStrictEqual(ids(yield* collect({ size: 10 }).pipe(over(script.layer()))), upTo(60))
      assert.deepStrictEqual(sizes(script.sent), [10, 5, 2, 1, 1, 2, 2, 4, 4, 8, 8, 10, 10, 10])
    })
  )

  it.effect("grows less often the more often that has failed", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(servingAtMost(5, 80, () => refusal(504)))
      assert.deepStrictEqual(ids(yield* collect({ size: 8 }).pipe(over(script.layer()))), upTo(80))
      const at8 = sizes(script.sent).flatMap((size, at) => (size === 8 ? [at] : []))
      assert.deepStrictEqual(at8, [0, 3, 8, 17])
    })
  )

  it.effect("starts with the requested size in every new listing", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(servingAtMost(5, 10, () => refusal(504)))
      const credentials = Effect.flatMap(Credentials, (credentials) => {
        const listing = credentials.search({ query: domain, size: 10 })
        return Effect.andThen(Stream.runDrain(listing), Stream.runDrain(listing))
      })
      yield* credentials.pipe(over(script.layer()))
      assert.deepStrictEqual(sizes(script.sent), [10, 5, 5, 10, 5, 5])
    })
  )

  it.effect("is halved in a global search of events too, and retried unchanged where it costs no quota", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(refusal(504))
      const search = Effect.flatMap(Events, (events) => Stream.runDrain(events.search()))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(search).pipe(over(script.layer({ retries: 0 })))))
      assert.deepStrictEqual(sizes(script.sent), [10, 5, 2, 1])
      const listing = Effect.flatMap(Events, (events) => Stream.runDrain(events.ofIdentifier(1, { size: 10 })))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(listing).pipe(over(script.layer({ retries: 1 })))))
      assert.deepStrictEqual(sizes(script.sent).slice(4), [10, 10])
    })
  )

  it.effect("keeps to the deadline of the page", () =>
    Effect.gen(function* () {
      const script = yield* makeScript("stall")
      const error = yield* finish(
        Effect.flip(collect({ size: 10_000 })).pipe(
          Effect.provide(script.layer({ timeout: 30_000, deadline: 100_000 }))
        )
      )
      assert.deepInclude(error, { _tag: "TimedOut", from: null })
      assert.deepStrictEqual(sizes(script.sent), [10_000, 5000, 2500, 1250])
    })
  )
})

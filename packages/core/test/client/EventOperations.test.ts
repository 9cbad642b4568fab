/** Listings, statuses and annotations of a tenant's events: the requests that are sent, and the results. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../src/client/ApiError.ts"
import { Events } from "../../src/client/Events.ts"
import type { EventFilters } from "../../src/domain/Event.ts"
import * as Samples from "../../testing/Samples.ts"
import { json, makeScript, over, refusal, type Step } from "../transport/Script.ts"

const page = (items: ReadonlyArray<unknown>, next: string | null = null) => json({ items, next })

/** Runs an effect with the script; returns its value and the sent requests. */
const run = <A, E>(use: (events: Events["Service"]) => Effect.Effect<A, E>, ...steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const script = yield* makeScript(...steps)
    const value = yield* Effect.flatMap(Events, use).pipe(over(script.layer({ retries: 0 })))
    const sent = script.sent.map(({ body, method, url }) => ({
      call: `${method} ${url.replace("https://api.example.com/svc", "")}`,
      body
    }))
    return { value, sent }
  })

describe("the events of a tenant and of a group", () => {
  it.effect("are read to their end, with the same filters", () =>
    Effect.gen(function* () {
      const filters = { type: ["leaked_credential"], status: ["open"], materialized_at: { gt: "2026-01-01" } } as const
      const first = Samples.identifierEvent({ uid: "a", materialized_at: "2026-01-02T00:00:00.000001Z" })
      const { sent, value } = yield* run(
        (events) => Stream.runCollect(events.ofTenant({ filters, size: 5 })),
        page([first], "second"),
        page([Samples.identifierEvent({ uid: "b" })])
      )
      assert.deepStrictEqual(
        value.map(({ metadata }) => [metadata.uid, metadata.materialized_at]),
        [
          ["a", "2026-01-02T00:00:00.000001Z"],
          ["b", undefined]
        ]
      )
      assert.deepStrictEqual(sent, [
        { call: "POST /v4/events/tenant/_search", body: { filters, size: 5 } },
        { call: "POST /v4/events/tenant/_search", body: { filters, size: 5, from: "second" } }
      ])
    })
  )

  it.effect("of a group have its id in the path, and a twin that yields pages", () =>
    Effect.gen(function* () {
      const { sent, value } = yield* run(
        (events) => Stream.runCollect(Stream.take(events.pagesOfGroup(7, { from: "here" }), 1)),
        page([], "next")
      )
      assert.deepStrictEqual(value, [{ items: [], next: "next" }])
      assert.deepStrictEqual(sent, [{ call: "POST /v4/events/identifier_groups/7/_search", body: { from: "here" } }])
    })
  )

  const searches: Readonly<
    Record<string, (events: Events["Service"], filters: EventFilters) => Stream.Stream<unknown, ApiError>>
  > = {
    search: (events, filters) => events.search({ filters }),
    ofIdentifier: (events, filters) => events.ofIdentifier(1, { filters }),
    ofTenant: (events, filters) => events.ofTenant({ filters }),
    ofGroup: (events, filters) => events.ofGroup(1, { filters })
  }
  it.effect.each(Object.keys(searches))(
    "are filtered by types that this version does not know, with a warning: %s",
    (name) =>
      Effect.gen(function* () {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => logged.push([logLevel, message].flat()))
        const filters = { type: ["paste", "leaked_credential", "hologram"] }
        const { sent } = yield* run(
          (events) =>
            Stream.runDrain(searches[name]?.(events, filters) ?? Stream.empty).pipe(
              Effect.provide(Logger.layer([logger]))
            ),
          page([])
        )
        assert.deepStrictEqual(sent[0]?.body, { filters })
        assert.strictEqual(logged.length, 1)
        assert.match(String(logged[0]), /^Warn,.*event types "hologram"/u)
      })
  )
})

describe("an action on events", () => {
  const uids = Array.from({ length: 21 }, (_, index) => `paste/example/${index}`)
  const targets = (from: number, to: number) => uids.slice(from, to).map((uid) => ({ uid }))

  it.effect("is sent for ten events at a time, in their order", () =>
    Effect.gen(function* () {
      const { sent } = yield* run(
        (events) => events.act(uids, "remediate"),
        () => new Response(null, { status: 200 })
      )
      const action = { type: "remediate" }
      assert.deepStrictEqual(
        sent.map(({ body }) => body),
        [
          { targets: targets(0, 10), action },
          { targets: targets(10, 20), action },
          { targets: targets(20, 21), action }
        ]
      )
      assert.deepStrictEqual(new Set(sent.map(({ call }) => call)), new Set(["POST /v4/events/actions"]))
    })
  )

  it.effect("stops at the first failure, which names the events that were done, and is not retried", () =>
    Effect.gen(function* () {
      const steps = [new Response(null, { status: 200 }), refusal(503)]
      const script = yield* makeScript(...steps)
      const error = yield* Effect.flip(Effect.flatMap(Events, (events) => events.act(uids, "ignore"))).pipe(
        over(script.layer())
      )
      assert.strictEqual(error._tag, "Unavailable")
      assert.deepStrictEqual(error.done, uids.slice(0, 10))
      assert.strictEqual(script.sent.length, 2)
    })
  )

  it.effect("needs a target", () =>
    Effect.gen(function* () {
      const { sent, value } = yield* run((events) => Effect.flip(events.act([], "ignore")))
      assert.strictEqual(value._tag, "RequestInvalid")
      assert.match(value.message, /1 to 10 targets/u)
      assert.deepStrictEqual(sent, [])
    })
  )
})

describe("the annotation of an event", () => {
  it.effect("sends what is changed, and null for what is removed", () =>
    Effect.gen(function* () {
      const { sent, value } = yield* run(
        (events) => events.annotate("a/b c", { tags: ["x", "y"], notes: null }),
        json({ uid: "a/b c", tags: ["x", "y"], notes: null })
      )
      assert.deepStrictEqual(value, { uid: "a/b c", tags: ["x", "y"], notes: null, severity: null })
      assert.deepStrictEqual(sent, [
        { call: "PATCH /v4/events/tenant/metadata?uid=a%2Fb%20c", body: { tags: ["x", "y"], notes: null } }
      ])
    })
  )
})

describe("the lists of a stealer log", () => {
  it.effect("are read page by page, with their passwords and values redacted", () =>
    Effect.gen(function* () {
      const { sent, value } = yield* run(
        (events) => Stream.runCollect(events.expand("a/b", "cookies", { size: 20 })),
        page([{ host_key: ".example.com", path: "/", expires_utc: 5, name: "session", value: "a value" }], "more"),
        page([])
      )
      const [cookie] = value
      assert(cookie !== undefined && "host_key" in cookie && cookie.value !== null)
      assert.strictEqual(Redacted.value(cookie.value), "a value")
      assert.notInclude(JSON.stringify(value), "a value")
      assert.deepStrictEqual(
        sent.map(({ call }) => call),
        [
          "GET /v4/events/_expand?uid=a%2Fb&field=cookies&size=20",
          "GET /v4/events/_expand?uid=a%2Fb&field=cookies&from=more&size=20"
        ]
      )
    })
  )
})

describe("the filters of a service", () => {
  it.effect("are its types, in categories, and its severities", () =>
    Effect.gen(function* () {
      const { value } = yield* run(
        (events) => Effect.all([events.types(), events.severities()]),
        json({ categories: [{ value: "a", label: "A", types: [{ value: "paste", label: "Paste" }] }] }),
        json({ severities: [{ value: "high", label: "High", color: "#f00" }] })
      )
      const [categories, severities] = value
      assert.deepStrictEqual(categories[0]?.types, [{ value: "paste", label: "Paste" }])
      assert.deepStrictEqual(severities, [{ value: "high", label: "High", color: "#f00" }])
    })
  )
})

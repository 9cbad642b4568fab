/** A listing continues after items that cannot be decoded: docs/api.md#tolerance. */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CallOptions } from "../../src/client/ClientOptions.ts"
import { Credentials } from "../../src/client/Credentials.ts"
import { createClient, type CommonOptions, type UnreadableItem, UnexpectedResponse } from "../../src/promise.ts"
import * as Samples from "../../testing/Samples.ts"
import { json, makeScript, over } from "./Script.ts"

const query = { type: "domain", fqdn: "example.com" } as const

const event = (number: number) => Samples.event({ uid: `paste/example/${number}` })
const broken = { ...event(2), metadata: { ...event(2).metadata, severity: 5, uid: "paste/example/2" } }

/** Pages by cursor; the second page has two undecodable items. */
const pages: { readonly [from: string]: unknown } = {
  first: { items: [event(0), event(1)], next: "second" },
  second: { items: [broken, event(3), "no event"], next: "third" },
  third: { items: [event(4)], next: null }
}

const clientOver = (options: Partial<CommonOptions> = {}, answers = pages) =>
  createClient({
    baseUrl: "https://api.example.com",
    token: "a-token",
    ...options,
    fetch: async (_, init) => {
      const { from } = JSON.parse(new TextDecoder().decode(Object(init).body))
      return json(answers[from ?? "first"])
    }
  })

/** The items that a listing delivers, and the error that ends it. */
const reading = async <A>(listing: AsyncIterable<A>) => {
  const items: Array<A> = []
  try {
    for await (const item of listing) items.push(item)
  } catch (error) {
    return { items, error }
  }
  return { items, error: undefined }
}

const uids = (items: ReadonlyArray<{ readonly metadata: { readonly uid: string } }>) =>
  items.map(({ metadata }) => metadata.uid.slice(-1))

const unreadable: ReadonlyArray<UnreadableItem> = [
  {
    index: 0,
    from: "second",
    uid: "paste/example/2",
    faults: [`metadata.severity: Expected "info" | "low" | "medium" | "high" | "critical" | string | null`]
  },
  { index: 2, from: "second", faults: ["Expected Event"] }
]

describe("a page with items and an error", () => {
  it("has its items, decoded, raw, and beside one that cannot be decoded", async () => {
    for (const error of [{ error: "in part" }, { message: "in part", code: "PARTIAL" }, { success: false }]) {
      for (const items of [[event(0)], [event(0), "no event"]]) {
        const client = clientOver({ onUnreadable: () => {} }, { first: { items, next: null, ...error } })
        const decoded = await reading(client.events.search({ query }))
        assert.deepStrictEqual(uids(decoded.items), ["0"])
        assert.isUndefined(decoded.error)
        const [raw] = await client.events.pages({ query }, { raw: true }).toArray()
        assert.deepStrictEqual(raw?.items, items)
      }
    }
  })
})

describe("an item that cannot be decoded", () => {
  it("is left out and reported, to the client's handler or to the call's own", async () => {
    const reported: Array<UnreadableItem> = []
    const onUnreadable = (item: UnreadableItem) => {
      reported.push(item)
    }
    const ofClient = clientOver({ onUnreadable }).events
    const ofCall = clientOver({ onUnreadable: () => assert.fail("the call has its own") }).events
    for (const listing of [ofClient.search(), ofCall.search({}, { onUnreadable })]) {
      const { error, items } = await reading(listing)
      assert.isUndefined(error)
      assert.deepStrictEqual(uids(items), ["0", "1", "3", "4"])
      assert.deepStrictEqual(reported.splice(0), unreadable)
    }
    const { items } = await reading(ofClient.pages())
    assert.deepStrictEqual(
      items.map(({ items, next }) => [uids(items), next]),
      [
        [["0", "1"], "second"],
        [["3"], "third"],
        [["4"], null]
      ]
    )
    assert.deepStrictEqual(reported, unreadable)
  })

  it("without a handler ends the listing after the page's other items, with the cursor of the next page", async () => {
    const { events } = clientOver()
    const { error, items } = await reading(events.search())
    assert.deepStrictEqual(uids(items), ["0", "1", "3"])
    assert(error instanceof UnexpectedResponse)
    assert.deepInclude(error, { operation: "Events.search", status: 200, from: "second", next: "third" })
    assert.deepStrictEqual(error.faults, [
      `items.0.${unreadable[0]?.faults[0] ?? ""}`,
      `items.2: ${unreadable[1]?.faults[0] ?? ""}`
    ])
    assert.match(error.message, /2 items cannot be read: items\.0\.metadata\.severity: /u)
    const rest = await reading(events.search({ from: error.next }))
    assert.deepStrictEqual([uids(rest.items), rest.error], [["4"], undefined])

    const paged = await reading(events.pages())
    assert.strictEqual(paged.items.length, 2)
    assert.deepInclude(paged.error, { name: "UnexpectedResponse", next: "third" })
  })

  it("on the last page fails with an error without a next cursor", async () => {
    const { error, items } = await reading(clientOver({}, { first: { items: [5], next: null } }).events.search())
    assert.deepStrictEqual(items, [])
    assert.deepInclude(error, { name: "UnexpectedResponse", from: null, next: null })
  })

  it("alone on its page fails at once: an empty page would look as if nothing had been found", async () => {
    const { events } = clientOver({}, { first: { items: [5], next: "second" } })
    const { error, items } = await reading(events.pages())
    assert.deepStrictEqual(items, [])
    assert.deepInclude(error, { name: "UnexpectedResponse", from: null, next: "second" })
  })

  it("rejects with the error of its handler", async () => {
    const thrown = new Error("stop here")
    const onUnreadable = () => {
      throw thrown
    }
    assert.strictEqual((await reading(clientOver({ onUnreadable }).events.search())).error, thrown)
  })

  it("is not reported for a page whose cursor cannot be decoded", async () => {
    const reported: Array<UnreadableItem> = []
    const answers = { first: { items: [event(0)], next: 5 } }
    const { error, items } = await reading(
      clientOver({ onUnreadable: (item) => reported.push(item) }, answers).events.search()
    )
    assert.deepStrictEqual([items, reported], [[], []])
    assert.deepInclude(error, { name: "UnexpectedResponse", from: null })
    assert.notProperty(error, "next")
  })

  it.effect("is reported by its id, and never with its values", () =>
    Effect.gen(function* () {
      const secret = ["correct", "horse"].join("-")
      const items = [
        Samples.credential({ id: 1 }),
        { ...Samples.credential({ id: 2 }), hash: { secret } },
        { ...Samples.credential({ id: 3 }), domain: [secret] },
        // The parser has rounded this id to another one.
        { ...Samples.credential(), id: 2 ** 53 }
      ]
      const search = Effect.flatMap(Credentials, (credentials) =>
        Stream.runCollect(credentials.search({ query: { type: "secret", secret: Redacted.make(secret) } }))
      )
      const script = yield* makeScript(json({ items, next: null }))
      const reported: Array<UnreadableItem> = []
      const found = yield* search.pipe(
        Effect.provideService(CallOptions, { onUnreadable: (item) => reported.push(item) }),
        over(script.layer())
      )
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        [1]
      )
      assert.deepStrictEqual(
        reported.map(({ id, index }) => [id, index]),
        [
          [2, 1],
          [3, 2],
          [undefined, 3]
        ]
      )
      const error = yield* Effect.flip(search).pipe(over(script.layer()))
      for (const shown of [reported, error]) assert.notInclude(inspect(shown, { depth: 9 }), secret)
    })
  )

  describe("in a list that is not paged", () => {
    const assigned = (number: number) =>
      Samples.assignedPolicy({ matching_policy: Samples.matchingPolicy({ uuid: `policy-${number}` }) })
    const list = [assigned(0), { ...assigned(1), clean_past_events: "no" }, 5, assigned(3)]
    const faults = ["1.clean_past_events: Expected boolean | null", "2: Expected AssignedPolicy"]
    const policiesOver = (answer: unknown, options: Partial<CommonOptions> = {}) =>
      createClient({
        baseUrl: "https://api.example.com",
        token: "a-token",
        ...options,
        fetch: async () => json(answer)
      }).matchingPolicies

    it("is left out and reported", async () => {
      const reported: Array<UnreadableItem> = []
      const onUnreadable = (item: UnreadableItem) => {
        reported.push(item)
      }
      const ofClient = policiesOver(list, { onUnreadable })
      const ofCall = policiesOver(list, { onUnreadable: () => assert.fail("the call has its own") })
      for (const call of [() => ofClient.ofIdentifier(7), () => ofCall.ofIdentifier(7, { onUnreadable })]) {
        const found = await call()
        assert.deepStrictEqual(
          found.map(({ matching_policy }) => matching_policy.uuid),
          ["policy-0", "policy-3"]
        )
        assert.deepStrictEqual(reported.splice(0), [
          { index: 1, from: null, faults: ["clean_past_events: Expected boolean | null"] },
          { index: 2, from: null, faults: ["Expected AssignedPolicy"] }
        ])
      }
    })

    it("without a handler fails the call, and is named in the error", async () => {
      const error = await policiesOver(list)
        .ofIdentifier(7)
        .catch((error: unknown) => error)
      assert(error instanceof UnexpectedResponse)
      assert.deepInclude(error, { operation: "MatchingPolicies.ofIdentifier", status: 200 })
      assert.notProperty(error, "next")
      assert.deepStrictEqual(error.faults, faults)
    })

    it("is not reported for a body that is not a list", async () => {
      const error = await policiesOver({ items: [] }, { onUnreadable: () => assert.fail("it has no items") })
        .ofIdentifier(7)
        .catch((error: unknown) => error)
      assert.deepInclude(error, { name: "UnexpectedResponse" })
    })
  })

  it("is one of ten thousand: the others are delivered", async () => {
    const { items } = Samples.credentialPage(10_000)
    const given = [...(items ?? [])]
    given[9_000] = { ...Samples.credential(), id: 0.5 }
    const reported: Array<number> = []
    const client = clientOver({ onUnreadable: ({ index }) => reported.push(index) }, { first: { items: given } })
    const { items: found } = await reading(client.credentials.search({ query, size: 10_000 }))
    assert.strictEqual(found.length, 9_999)
    assert.deepStrictEqual(reported, [9_000])
  })
})

import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("the events of a tenant", ({ stores }) => {
  it.live("are those of all its identifiers, each once, without the ones that are dealt with", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const names = ["example.com", "a.example.com", "b.a.example.com", "c.b.a.example.com", "example.org"]
      const create = (tenantId: number, name: string) => call(tenantId, "POST", "/v2/assets/", { name, type: "domain" })
      for (const name of names.slice(0, 3)) yield* create(1, name)
      // Twelve events match four identifiers each, the others one.
      yield* loadEvents(
        ...Array.from({ length: 24 }, (_, number) =>
          eventForTest(number, number % 3 === 0 ? "chat_message" : "paste", {
            content: number % 2 === 0 ? "see c.b.a.example.com" : "see example.org"
          })
        ),
        eventForTest(24, "paste", { content: "see example.net" })
      )
      for (const name of names.slice(3)) yield* create(1, name)
      yield* create(2, "example.net")

      const ask = (body: unknown, tenantId = 1) => call(tenantId, "POST", "/v4/events/tenant/_search", body)
      const numbersIn = (body: any): ReadonlyArray<number> =>
        body.items.map(({ metadata }: any) => Number(metadata.uid.split("/")[2]))
      const all = Effect.fnUntraced(function* (search: object, size = 10) {
        const numbers: Array<number> = []
        let from: string | null = null
        do {
          const { body }: { readonly body: any } = yield* ask({ ...search, size, from })
          numbers.push(...numbersIn(body))
          from = body.next
        } while (from !== null)
        return numbers
      })
      const ascending = Array.from({ length: 24 }, (_, number) => number)

      assert.deepStrictEqual(yield* all({ order: "asc" }), ascending)
      assert.deepStrictEqual(yield* all({}, 7), ascending.toReversed())
      assert.deepStrictEqual(
        yield* all({ order: "asc", query: { type: "domain", fqdn: "a.example.com" } }),
        ascending.filter((number) => number % 2 === 0)
      )
      assert.deepStrictEqual(
        yield* all({ order: "asc", filters: { type: ["chat_message"] } }),
        ascending.filter((number) => number % 3 === 0)
      )
      assert.deepStrictEqual(numbersIn((yield* ask({}, 2)).body), [24])
      assert.deepStrictEqual(numbersIn((yield* ask({}, 3)).body), [])

      const first = (yield* ask({ size: 2, order: "asc" })).body
      assert.deepStrictEqual(
        first.items.map(({ identifiers }: any) => identifiers.map(({ name }: any) => name)),
        [names.slice(0, 4), ["example.org"]]
      )
      assert.deepStrictEqual(first.items[1].highlights, { content: ["see <mark>example.org</mark>"] })
      assert.match(first.items[0].highlights.content[0], /<mark>/u)

      const act = (type: string, numbers: ReadonlyArray<number>) =>
        call(1, "POST", "/v4/events/actions", {
          targets: numbers.map((number) => ({ uid: `test/source/${number}` })),
          action: { type }
        })
      yield* act("ignore", [0, 1])
      yield* act("remediate", [2])
      assert.deepStrictEqual(yield* all({ order: "asc" }), ascending.slice(3))
      assert.deepStrictEqual(
        yield* all({ order: "asc", filters: { is_ignored: false, is_remediated: false } }),
        ascending.slice(3)
      )
      assert.deepStrictEqual(yield* all({ order: "asc", filters: { is_ignored: true } }), [0, 1])
      assert.deepStrictEqual(yield* all({ order: "asc", filters: { is_remediated: true } }), [2])
      assert.deepStrictEqual(
        yield* all({ order: "asc", filters: { status: ["open", "remediated"] } }),
        ascending.slice(2)
      )

      const page = (yield* ask({ size: 2 })).body
      assert.strictEqual((yield* ask({ size: 2, from: page.next }, 2)).status, 422)
      const refused = yield* ask({
        from: "x",
        query: { type: "query_string", query_string: "(" },
        filters: { type: ["paste", "unheard_of"] }
      })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(
        refused.body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join(".")),
        ["body.query.query_string", "body.filters.type.1", "body.from"]
      )
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
  it.live("can be filtered by every type and severity that the service lists", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { categories } = (yield* call(1, "GET", "/v4/events/filters/types")).body
      const types: ReadonlyArray<string> = categories.flatMap((category: any) =>
        category.types.map(({ value }: any) => value)
      )
      const { severities } = (yield* call(1, "GET", "/v4/events/filters/severities")).body
      assert.strictEqual(new Set(types).size, types.length)
      assert.includeMembers([...types], ["leaked_credential", "paste", "stealer_log"])
      assert.deepStrictEqual(
        severities.map(({ label, value }: any) => [value, label]),
        [
          ["info", "Info"],
          ["low", "Low"],
          ["medium", "Medium"],
          ["high", "High"],
          ["critical", "Critical"]
        ]
      )
      const filters = { type: types, severity: severities.map(({ value }: any) => value) }
      assert.strictEqual((yield* call(1, "POST", "/v4/events/tenant/_search", { filters })).status, 200)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

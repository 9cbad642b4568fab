import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("the events of a group", ({ stores }) => {
  it.live("are those of its identifiers, each once, without the ones that are dealt with", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const createGroup = Effect.fnUntraced(function* (tenantId: number, name: string) {
        return (yield* call(tenantId, "POST", "/v2/assets/groups/", { name })).body.assets_group.id as number
      })
      const create = Effect.fnUntraced(function* (tenantId: number, keyword: string, group_id: number | null) {
        const { body, status } = yield* call(tenantId, "POST", "/v4/identifiers/", {
          data: { type: "keyword", keyword },
          categories: [],
          emerging_categories: [],
          severities: [],
          group_id
        })
        assert.strictEqual(status, 200, JSON.stringify(body))
        return body.id as number
      })
      const first = yield* createGroup(1, "First")
      const second = yield* createGroup(1, "Second")
      const empty = yield* createGroup(1, "Empty")
      const alpha = yield* create(1, "alpha", first)
      const beta = yield* create(1, "beta", first)
      const gamma = yield* create(1, "gamma", second)
      yield* create(1, "delta", null)
      yield* loadEvents(
        ...["alpha", "alpha beta", "beta gamma", "gamma", "delta", "delta alpha"].map((content, number) =>
          eventForTest(number, "paste", { content })
        )
      )
      const list = Effect.fnUntraced(function* (group: number, search: object = {}, tenantId = 1) {
        const found: Array<any> = []
        let from: string | null = null
        do {
          const { body, status }: { readonly body: any; readonly status: number } = yield* call(
            tenantId,
            "POST",
            `/v4/events/identifier_groups/${group}/_search`,
            { size: 2, order: "asc", from, ...search }
          )
          assert.strictEqual(status, 200, JSON.stringify(body))
          found.push(...body.items)
          from = body.next
        } while (from !== null)
        return found
      })
      const numbers = (items: ReadonlyArray<any>) => items.map(({ metadata }) => Number(metadata.uid.split("/")[2]))
      const ofFirst = yield* list(first)
      assert.deepStrictEqual(numbers(ofFirst), [0, 1, 2, 5])
      assert.deepStrictEqual(
        ofFirst.map(({ identifiers }) => identifiers.map(({ id }: any) => id)),
        [[alpha], [alpha, beta], [beta], [alpha]]
      )
      assert.deepStrictEqual(ofFirst[2].highlights, { content: ["<mark>beta</mark> gamma"] })
      assert.deepStrictEqual(numbers(yield* list(second)), [2, 3])
      assert.deepStrictEqual((yield* list(second))[0].identifiers, [{ id: gamma, name: "gamma" }])
      assert.deepStrictEqual(yield* list(empty), [])
      const query = { type: "keyword", keyword: "gamma" }
      assert.deepStrictEqual(numbers(yield* list(first, { query })), [2])
      const since = { filters: { materialized_at: { gt: "2020-01-01" } } }
      assert.sameMembers(numbers(yield* list(first, since)), [0, 1, 2, 5])
      assert.deepStrictEqual(numbers(yield* list(first, { ...since, query })), [2])

      yield* call(1, "POST", "/v4/events/actions", {
        targets: [{ uid: "test/source/1" }],
        action: { type: "ignore" }
      })
      assert.deepStrictEqual(numbers(yield* list(first)), [0, 2, 5])
      assert.deepStrictEqual(numbers(yield* list(first, { filters: { status: ["ignored"] } })), [1])

      const other = yield* createGroup(2, "First")
      assert.deepStrictEqual(yield* list(other, {}, 2), [])
      const path = (group: number) => `/v4/events/identifier_groups/${group}/_search`
      assert.strictEqual((yield* call(2, "POST", path(second), {})).status, 404)
      assert.strictEqual((yield* call(1, "POST", path(99), {})).status, 404)
      const page = (yield* call(1, "POST", path(first), { size: 1 })).body
      assert.strictEqual((yield* call(1, "POST", path(second), { size: 1, from: page.next })).status, 422)
      assert.strictEqual((yield* call(1, "POST", "/v4/events/tenant/_search", { from: page.next })).status, 422)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

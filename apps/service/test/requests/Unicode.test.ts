/** Half of a surrogate pair, which JSON can contain and UTF-8 cannot: a request that stores it is refused. */
import { assert, it } from "@effect/vitest"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, loadForTest, ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("half of a surrogate pair", ({ stores }) => {
  it.live("is refused where it would be stored, and replaced in the uid of an event", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const policy = { name: "a\ud800", type: "INCLUDED_KEYWORDS", value: { keywords: ["\u{1F512}b", "b\udc00"] } }
      const refused = yield* call(1, "POST", "/v4/matching-policies", policy)
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(refused.body.detail[0].loc, ["body", "name"])
      const { body } = yield* call(1, "POST", "/v4/matching-policies", { ...policy, name: "\u{1F512}" })
      assert.deepStrictEqual(body.detail[0].loc, ["body", "value", "keywords", 1])
      const value = { keywords: ["\u{1F512}b"] }
      const created = yield* call(1, "POST", "/v4/matching-policies", { ...policy, name: "\u{1F512}", value })
      assert.strictEqual(created.body.name, "\u{1F512}")

      const uids = ["\ud800/a/1", "\u{1F512}/a/1", "\uffff/a/1", "a/a/1"]
      yield* loadForTest(
        (yield* LoadTargets).events,
        uids.map((uid) => eventForTest(1, "paste", { title: "a\udc00", content: "acme" }, { uid }))
      )
      yield* call(1, "POST", "/v2/assets/", { name: "acme" })
      const sorted = ["a/a/1", "\u{1F512}/a/1", "\ufffd/a/1", "\uffff/a/1"]
      for (const order of ["asc", "desc"]) {
        const found: Array<string> = []
        let from: string | null = null
        do {
          const page: { body: any } = yield* call(1, "POST", "/v4/events/tenant/_search", { order, size: 1, from })
          found.push(...page.body.items.map(({ metadata }: any) => metadata.uid))
          from = page.body.next
        } while (from !== null && found.length < 10)
        assert.deepStrictEqual(found, order === "asc" ? sorted : sorted.toReversed())
      }
      const stored = yield* call(1, "GET", `/v4/events/?uid=${encodeURIComponent("\ufffd/a/1")}`)
      assert.strictEqual(stored.body.data.title, "a\udc00")
      const query = { type: "secret", secret: "\ud800" }
      assert.strictEqual((yield* call(1, "POST", "/v4/credentials/global/_search", { query })).status, 200)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

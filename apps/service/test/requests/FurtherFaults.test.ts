import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

it.live("names the faults that no schema sees beside those of the shape", () =>
  Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    const places = (path: string, body: unknown) =>
      Effect.map(call(1, "POST", path, body), ({ body }): ReadonlyArray<string> =>
        body.detail.map(({ loc }: { readonly loc: ReadonlyArray<string | number> }) => loc.join("."))
      )
    const search = { size: 11, query: { type: "keyword", keyword: "a".repeat(257) }, filters: { type: ["unknown"] } }
    assert.deepStrictEqual(yield* places("/v4/events/tenant/_search", search), [
      "body.size",
      "body.query.keyword",
      "body.filters.type.0"
    ])
    assert.deepStrictEqual(yield* places("/v4/events/global/_search", search), [
      "body.size",
      "body.filters.type.0",
      "body.query.keyword"
    ])
    const identifier = { data: { type: "search_query", search_query: "(" }, categories: [], emerging_categories: [] }
    assert.deepStrictEqual(yield* places("/v4/identifiers/", identifier), ["body.severities", "body.data.search_query"])
    const policyPlaces = (type: string, value: unknown) => places("/v4/matching-policies", { name: "", type, value })
    assert.deepStrictEqual(yield* policyPlaces("INCLUDED_KEYWORDS", { keywords: [] }), [
      "body.name",
      "body.value.keywords"
    ])
    assert.deepStrictEqual(yield* policyPlaces("LUCENE_QUERY", { query: "(" }), ["body.name", "body.value.query"])
    assert.deepStrictEqual(yield* policyPlaces("LUCENE_QUERY", { query: 5 }), ["body.name", "body.value.query"])
  }).pipe(Effect.provide(ServiceForTest.layer))
)

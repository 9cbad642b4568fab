/** Queries that an earlier version stored, and that this version refuses. */
import { assert, it } from "@effect/vitest"
import { assetOf, IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { StoreHealth } from "@threat-exposure/service/observability/StoreHealth"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const now = "2026-01-01T00:00:00Z"

describeOnEngines("A query that this version refuses", ({ stores }) => {
  it.live("is named when events are loaded: its identifier matches nothing, and its policy keeps everything", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const identifiers = yield* IdentifierStore
      const policies = yield* MatchingPolicyStore
      const { foreign } = yield* StoreHealth
      const insert = (type: "keyword" | "search_query", name: string) =>
        identifiers.insert({
          tenantId: 1,
          asset: assetOf({ name, type }, crypto.randomUUID(), now)
        })
      const range = yield* insert("search_query", "[1 TO 2]")
      const harbour = yield* insert("keyword", "harbour")
      const sound = yield* insert("search_query", "harbour")
      const policy = { tenantId: 1, uuid: "00000000-0000-4000-8000-000000000001" }
      yield* policies.insert({ ...policy, name: "", type: "LUCENE_QUERY", value: { query: "a~2" }, createdAt: now })
      yield* policies.assign({ ...policy, identifierIds: [harbour.id], cleanPastEvents: false, assignedAt: now })
      yield* loadEvents(eventForTest(1, "paste", { content: "harbour" }))
      const counts = yield* Effect.forEach([range, harbour, sound], ({ id }) =>
        Effect.map(call(1, "GET", `/v4/identifiers/${id}`), ({ body }): number => body.enrichments.event_count)
      )
      assert.deepStrictEqual(counts, [0, 1, 1])
      const named = foreign().map((name) => /^(\d+) in \S*identifiers/u.exec(name)?.[1])
      assert.sameMembers(named, [String(range.id), String(harbour.id)])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

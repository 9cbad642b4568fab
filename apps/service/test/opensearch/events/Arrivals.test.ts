/** Listings by arrival of events to which two identifiers gave a time each. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"
import { eventForTest, ServiceForTest } from "../../ServiceForTest.ts"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a listing by arrival", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("has no page without items before its end, however many events have two times", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      for (const name of ["alpha", "beta"]) yield* call(1, "POST", "/v2/assets/", { name, type: "keyword" })
      const twice = Array.from({ length: 25 }, (_, at) => eventForTest(at, "paste", { content: "alpha beta" }))
      yield* loadEvents(...twice)
      yield* loadEvents(eventForTest(99, "paste", { content: "alpha" }))
      const findings = yield* cluster.all(findingIndex, {
        query: { match_all: {} },
        sort: [{ materialized_at: "asc" }]
      })
      const times = findings.map(({ document }) => document.materialized_at ?? 0)
      const [last = 0, before = 0] = times.toReversed()
      assert.isAbove(last - before, twice.length)
      const later = findings.filter(({ document }) => document.identifier === 2)
      assert.lengthOf(later, twice.length)
      yield* cluster.write(
        later.map(({ document, id }, at) => ({
          index: findingIndex,
          id,
          document: { ...document, materialized_at: before + 1 + at }
        }))
      )
      const seen: Array<string> = []
      for (let since = "2020-01-01"; ;) {
        const filters = { materialized_at: { gt: since } }
        const { body } = yield* call(1, "POST", "/v4/events/tenant/_search", { order: "asc", filters })
        if (body.items.length === 0) break
        seen.push(...body.items.map(({ metadata }: any) => metadata.uid))
        since = body.items.at(-1).metadata.materialized_at
      }
      assert.lengthOf(seen, 26)
      assert.lengthOf([...new Set(seen)], 26)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

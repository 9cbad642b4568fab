/**
 * Listings of a service while somebody changes the aliases, settings or fields of its indices are complete or refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { StoreHealth } from "@threat-exposure/service/observability/StoreHealth"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

// Both tests wait most of their time, and each has a cluster of its own.
describe.skipIf("missing" in node).concurrent("missing" in node ? node.missing : "a listing on a cluster", () => {
  const url = "missing" in node ? "" : node.url
  const stores = Layer.unwrap(Effect.map(emptyCluster(url), openSearch))

  it.live.each([
    ["events", eventIndex],
    ["matches", findingIndex]
  ] as const)("is whole or refused, whatever is changed of its %s beside the service", ([, shape]) =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      const { ready } = yield* StoreHealth
      const ask = (method: "DELETE" | "POST" | "PUT", path: string, body?: unknown) =>
        cluster.call({ method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      const aliases = (...actions: ReadonlyArray<unknown>) => ask("POST", "/_aliases", { actions })

      const asset = { data: { type: "keyword", keyword: "harbour" }, categories: [], emerging_categories: [] }
      const { id } = (yield* call(1, "POST", "/v4/identifiers/", { ...asset, severities: [] })).body
      const data = { title: "harbour", content: "harbour" }
      yield* loadEvents(...[1, 2, 3].map((number) => eventForTest(number, "paste", data)))
      const listings: ReadonlyArray<readonly [path: string, body: unknown]> = [
        ["/v4/events/tenant/_search", { size: 10 }],
        [`/v4/events/identifiers/${id}/_search`, { size: 10 }],
        ["/v4/events/global/_search", { query: { type: "keyword", keyword: "harbour" } }]
      ]
      const found = Effect.forEach(listings, ([path, body]) =>
        Effect.map(call(1, "POST", path, body), ({ body, status }) => (status === 200 ? body.items.length : status))
      )
      assert.deepStrictEqual(yield* found, [3, 3, 3])

      const index = cluster.nameOf(shape)
      const alias = index.replace(/-v\d+.*/u, "")
      const other = `${cluster.prefix}-other`
      const create = ask("PUT", `/${other}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } })
      const own = { add: { index, alias, is_write_index: true } }
      const remade = aliases({ remove: { index, alias } }, own)
      const setting = (name: string, value: unknown) => ask("PUT", `/${index}/_settings`, { [name]: value })
      const faults = [
        [aliases({ add: { index, alias, filter: { ids: { values: ["none"] } }, is_write_index: true } }), remade],
        [aliases({ add: { index, alias, search_routing: "other", is_write_index: true } }), remade],
        [
          Effect.andThen(create, aliases({ add: { index: other, alias } })),
          aliases({ remove_index: { index: other } })
        ],
        [
          Effect.andThen(create, aliases({ remove: { index, alias } }, { add: { index: other, alias } })),
          aliases({ remove_index: { index: other } }, own)
        ],
        [aliases({ remove: { index, alias } }), aliases(own)],
        [setting("index.blocks.read", true), setting("index.blocks.read", null)],
        [setting("index.search.default_pipeline", "other"), setting("index.search.default_pipeline", null)],
        [
          ask("POST", `/${index}/_close`),
          Effect.andThen(
            ask("POST", `/${index}/_open`),
            cluster.call({ method: "GET", path: `/_cluster/health/${index}?wait_for_status=yellow` })
          )
        ]
      ] as const
      for (const [at, [cause, mend]] of faults.entries()) {
        yield* cause
        for (const count of yield* found) assert.include([3, 503], count, `${index}, fault ${at}`)
        // The health is checked at most once a second.
        while ((yield* Effect.exit(ready))._tag === "Success") yield* Effect.sleep("100 millis")
        const refused = yield* found
        assert.include(refused, 503, `${index}, fault ${at}`)
        for (const count of refused) assert.include([3, 503], count, `${index}, fault ${at}`)
        yield* mend
        while ((yield* Effect.exit(ready))._tag === "Failure") yield* Effect.sleep("100 millis")
        assert.deepStrictEqual(yield* found, [3, 3, 3], `${index}, fault ${at}`)
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

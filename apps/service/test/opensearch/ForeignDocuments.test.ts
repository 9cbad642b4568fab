/** Documents that somebody without the key file wrote, with the shape of this program's own documents. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { eventIdOf, findingIdOf } from "@threat-exposure/service/opensearch/events/SealedEvent"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a document of somebody else", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("is left out of every search of events, whichever of its fields was changed or is missing", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      const criteria = { categories: [], emerging_categories: [], severities: [] }
      const data = { type: "keyword", keyword: "acme" }
      const { id } = (yield* call(1, "POST", "/v4/identifiers/", { data, ...criteria })).body
      yield* loadEvents(...[1, 2].map((number) => eventForTest(number, "paste", { content: "acme" })))
      yield* call(1, "POST", "/v2/reporting/reports", { elements: [{ time_interval: "P9Y" }] })
      const [report] = (yield* call(1, "GET", "/v4/reports")).body.items
      const searches = ["global", "tenant", `identifiers/${id}`].map((of) => `/v4/events/${of}/_search`)
      const uidsIn = Effect.fnUntraced(function* (path: string) {
        const { body, status } = yield* call(1, "POST", path, {})
        assert.strictEqual(status, 200, path)
        return body.items.map(({ metadata }: { metadata: { uid: string } }) => metadata.uid).toSorted()
      })
      const [first, second] = ["test/source/1", "test/source/2"]
      const eventId = eventIdOf(second)
      const findingId = findingIdOf(id, eventId)
      const event = yield* cluster.get(eventIndex, eventId)
      const finding = yield* cluster.get(findingIndex, findingId)
      const other = yield* cluster.get(eventIndex, eventIdOf(first))
      assert(event !== undefined && finding !== undefined && other !== undefined)
      for (const field of ["document", "analysis", "seal"] as const) {
        for (const value of [undefined, "", "x", other.document[field]]) {
          yield* cluster.write([
            { index: eventIndex, id: eventId, document: { ...event.document, [field]: value } },
            { index: findingIndex, id: findingId, document: { ...finding.document, [field]: value } }
          ])
          for (const path of searches) assert.deepStrictEqual(yield* uidsIn(path), [first], `${field}: ${value}`)
          assert.strictEqual((yield* call(1, "GET", `/v4/events/?uid=${encodeURIComponent(second)}`)).status, 404)
          const csv = yield* call(1, "GET", `/v4/reports/${report.id}/download?format=csv`)
          assert.notInclude(csv.text, second)
          assert.include(csv.text, first)
        }
      }
      yield* cluster.write([
        { index: eventIndex, id: eventId, document: {} },
        { index: findingIndex, id: findingId, document: { tenantId: 1, identifier: id } }
      ])
      for (const path of searches) assert.deepStrictEqual(yield* uidsIn(path), [first])
      yield* cluster.write([
        { index: eventIndex, id: eventId, document: event.document },
        { index: findingIndex, id: findingId, document: finding.document }
      ])
      for (const path of searches) assert.deepStrictEqual(yield* uidsIn(path), [first, second])
      const names = [...cluster.foreign.names].map((name) => name.split(" ")[0])
      assert.sameMembers(names, [eventId, findingId])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

/** Documents that somebody without the key file wrote, with the shape of this program's own documents. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { IntelStore } from "@threat-exposure/service/intel/Intel"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { eventIdOf, findingIdOf } from "@threat-exposure/service/opensearch/events/SealedEvent"
import { identifierIndex } from "@threat-exposure/service/opensearch/IdentifierIndex"
import { intelIndex } from "@threat-exposure/service/opensearch/IntelStoreOpenSearch"
import { policyIndex } from "@threat-exposure/service/opensearch/MatchingPolicyStoreOpenSearch"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { recommendationIndex } from "@threat-exposure/service/opensearch/RecommendationStoreOpenSearch"
import { reportIndex } from "@threat-exposure/service/opensearch/ReportStoreOpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"
import { answerForTest, eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

const at = "2026-01-01T00:00:00Z"
const question = "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a document of somebody else", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("is left out of listings, and named where it is asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      const criteria = {
        data: { type: "keyword", keyword: "acme" },
        categories: [],
        emerging_categories: [],
        severities: []
      }
      const own = (yield* call(1, "POST", "/v4/identifiers/", criteria)).body.id
      const identifier = (yield* cluster.get(identifierIndex, String(own)))?.document
      const value = { keywords: ["card"] }
      const policy = { name: "Payments", type: "INCLUDED_KEYWORDS", value }
      const { uuid } = (yield* call(1, "POST", "/v4/matching-policies", policy)).body
      yield* call(1, "POST", `/v4/matching-policies/${uuid}/assignments`, { identifier_ids: [own] })
      const assigned = { uuid, value, cleanPastEvents: false, assignedAt: at }
      yield* cluster.write([
        // The ciphertext of another identifier.
        { index: identifierIndex, id: "99", document: { ...identifier, id: 99, policies: [assigned] } },
        {
          index: policyIndex,
          id: "forged",
          document: { tenantId: 1, name: "x", value: { keywords: "x" }, createdAt: at, lastUpdatedAt: at }
        },
        { index: reportIndex, id: "99", document: { tenantId: 1, report: "{", createdAt: at } },
        {
          index: recommendationIndex,
          id: "1:99",
          document: {
            tenantId: 1,
            id: 99,
            type: "email",
            data: "{",
            status: "recommended",
            updatedAt: null,
            relevancy: null
          }
        },
        { index: intelIndex, id: question, document: { tenantId: 1, question: "Zm9yZ2Vk", tone: null, createdAt: at } }
      ])

      const itemsOf = (path: string) => Effect.map(call(1, "GET", path), ({ body }) => body.items)
      assert.lengthOf(yield* itemsOf("/v4/identifiers/"), 1)
      assert.lengthOf(yield* itemsOf("/v4/matching-policies"), 1)
      assert.lengthOf(yield* itemsOf(`/v4/matching-policies/${uuid}/assignments`), 1)
      assert.lengthOf(yield* itemsOf("/v4/reports"), 0)
      assert.lengthOf(yield* itemsOf("/v4/identifier-recommendations/"), 0)
      assert.lengthOf(yield* (yield* IntelStore).list, 0)
      assert.sameMembers(
        [...cluster.foreign.names].map((name) => name.split(" ")[0]),
        ["99", "99", "forged", "1:99", question]
      )
      for (const path of [
        "/v4/identifiers/99",
        "/v4/matching-policies/forged",
        "/v4/reports/99",
        `/v4/threat_flow/reports/requests/${question}`
      ]) {
        assert.strictEqual((yield* call(1, "GET", path)).status, 503, path)
      }
      assert.strictEqual((yield* call(1, "PUT", "/v4/identifiers/99", criteria)).status, 503)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

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

  it.live("is not shown to a tenant that it was moved to", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      const data = { type: "keyword", keyword: "acme" }
      const criteria = { categories: [], emerging_categories: [], severities: [] }
      const { id } = (yield* call(1, "POST", "/v4/identifiers/", { data, ...criteria })).body
      const asked = (yield* call(1, "POST", "/v4/threat_flow/intel/requests", { question: "Who?" })).body.request_id
      yield* (yield* IntelStore).answer({ requestId: asked, answeredAt: at, report: answerForTest })
      const paths = [`/v4/identifiers/${id}`, `/v4/threat_flow/reports/requests/${asked}`]
      for (const path of paths) assert.strictEqual((yield* call(1, "GET", path)).status, 200, path)
      const identifier = (yield* cluster.get(identifierIndex, String(id)))?.document
      const request = (yield* cluster.get(intelIndex, asked))?.document
      yield* cluster.write([
        { index: identifierIndex, id: String(id), document: { ...identifier, tenantId: 2 } },
        { index: intelIndex, id: asked, document: { ...request, tenantId: 2 } }
      ])
      for (const path of paths) assert.strictEqual((yield* call(2, "GET", path)).status, 503, path)
      for (const query of ["", "?order_by=name"]) {
        assert.deepStrictEqual((yield* call(2, "GET", `/v4/identifiers/${query}`)).body.items, [])
      }
      assert.include(cluster.foreign.names.join(), `${id} in ${cluster.nameOf(identifierIndex)}`)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

/**
 * An attacker who can write to the cluster, but does not have the key file, plants, exchanges, truncates and mistypes
 * documents of every index. No answer contains data of another tenant. If an answer is shorter, the log names the
 * document.
 */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { IntelStore } from "@threat-exposure/service/intel/Intel"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"
import { answerForTest, eventForTest, loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

/** A word of each tenant, which is in everything that belongs to it alone. */
const words = ["amber", "cobalt"] as const

const criteria = { categories: [], emerging_categories: [], severities: [] }

interface RawDocument {
  readonly id: string
  readonly source: Readonly<Record<string, unknown>>
}

/** Gives each tenant documents in every index. Returns the requests that show them. */
const fill = Effect.fnUntraced(function* (tenant: number) {
  const { call, loadEvents } = yield* ServiceForTest
  const targets = yield* LoadTargets
  const word = words[tenant - 1] ?? ""
  const post = (path: string, body: unknown) => Effect.map(call(tenant, "POST", path, body), ({ body }) => body)
  const group = (yield* post("/v2/assets/groups/", { name: word, urn: word })).assets_group.id
  const data = { type: "keyword", keyword: word }
  const { id } = yield* post("/v4/identifiers/", { ...criteria, name: word, data, group_id: group })
  const mail = { type: "domain", fqdn: `${word}.example.com` }
  yield* post("/v4/identifiers/", { ...criteria, name: `${word} accounts`, data: mail })
  yield* loadEvents(
    ...[1, 2].map((number) => eventForTest(tenant * 10 + number, "paste", { title: word, content: word }))
  )
  yield* loadForTest(targets.credentials, [
    {
      id: tenant,
      identity_name: `someone@${word}.example.com`,
      imported_at: "2026-01-01T00:00:00Z",
      hash: word,
      credential_hash: word
    }
  ])
  yield* loadForTest(targets.recommendations(tenant), [
    { id: 1, data: { type: "email", email: `${word}@example.com` }, status: "recommended", relevancy: "HIGH" }
  ])
  const policy = { name: word, type: "INCLUDED_KEYWORDS", value: { keywords: [word] } }
  const { uuid } = yield* post("/v4/matching-policies", policy)
  yield* post(`/v4/matching-policies/${uuid}/assignments`, { identifier_ids: [id] })
  yield* post("/v2/reporting/reports", { title: word, elements: [{ time_interval: "P9Y" }] })
  const report = (yield* call(tenant, "GET", "/v4/reports")).body.items[0].id
  yield* post(`/v2/tenants/${tenant}/users`, { users: [{ user_id: tenant, role: word }] })
  const { request_id } = yield* post("/v4/threat_flow/intel/requests", { question: word, tone: word })
  yield* (yield* IntelStore).answer(request_id, { ...answerForTest, title: word }, "2026-01-01T00:00:00Z")
  const uid = `test/source/${tenant * 10 + 1}`
  const ofEvent = `uid=${encodeURIComponent(uid)}`
  yield* call(tenant, "PATCH", `/v4/events/tenant/metadata?${ofEvent}`, { tags: [word], notes: word, severity: "low" })
  yield* post("/v4/credentials/actions", { targets: [{ credential_hash: word }], action: { type: "ignore" } })
  const arrived = { filters: { materialized_at: { gte: "2000-01-01T00:00:00Z" } } }
  return [
    ["GET", "/v4/identifiers/"],
    ["GET", "/v4/identifiers/?order_by=name"],
    ["GET", `/v4/identifiers/?group_id=${group}`],
    ["GET", `/v4/identifiers/${id}`],
    ["GET", "/v2/assets/groups/"],
    ["GET", `/v2/assets/groups/${group}`],
    ["GET", "/v4/matching-policies"],
    ["GET", `/v4/matching-policies/${uuid}`],
    ["GET", `/v4/matching-policies/${uuid}/assignments`],
    ["GET", `/v4/matching-policies/by_identifier_id/${id}`],
    ["GET", "/v4/identifier-recommendations/"],
    ["GET", "/v4/reports"],
    ["GET", `/v4/reports/${report}`],
    ["GET", `/v4/reports/${report}/download?format=csv`],
    ["GET", `/v2/tenants/${tenant}/users`],
    ["GET", `/v4/threat_flow/reports/requests/${request_id}`],
    ["GET", "/v2/me/feed/credentials"],
    ["POST", "/v4/events/tenant/_search", {}],
    ["POST", "/v4/events/tenant/_search", arrived],
    ["POST", "/v4/events/tenant/_search", { filters: { tags: [word] } }],
    ["POST", `/v4/events/identifier_groups/${group}/_search`, {}],
    ["POST", `/v4/events/identifiers/${id}/_search`, {}],
    ["POST", "/v4/credentials/global/_search", { query: { type: "domain", fqdn: `${word}.example.com` } }],
    ["POST", "/v4/events/global/_search", { query: data }]
  ] as const
})

/** Values of another type, or of the type of another field. */
const wrongTypes = [2 ** 53, [{}]]

/** The changes of the documents of an index, by what they are called. */
function* changesOf(
  documents: ReadonlyArray<RawDocument>
): Generator<readonly [what: string, changed: ReadonlyArray<RawDocument>]> {
  const of = (tenant: number) =>
    documents.filter(
      ({ id, source: { tenantId, tenant_id } }) =>
        tenantId === tenant || tenant_id === tenant || id.startsWith(`${tenant}:`)
    )
  const moved = ({ id, source }: RawDocument, tenant: number): RawDocument => ({
    id,
    source: {
      ...source,
      ...("tenantId" in source ? { tenantId: tenant } : {}),
      ...("tenant_id" in source ? { tenant_id: tenant } : {})
    }
  })
  const [first, second] = [of(1)[0], of(2)[0]]
  yield ["planted", documents.map(({ id, source }) => ({ id: `${id}0`, source }))]
  // A copy of a credential or an event that a strict load replaces cannot be told from one that somebody planted.
  if (!documents.some(({ source }) => "digest" in source)) {
    yield ["planted as a copy of a strict load", documents.map(({ id, source }) => ({ id: `7/${id}`, source }))]
  }
  if (first !== undefined && second !== undefined) {
    yield [
      "exchanged",
      [
        { ...first, source: second.source },
        { ...second, source: first.source }
      ]
    ]
    yield ["moved", [moved(first, 2), moved(second, 1)]]
    yield [
      "planted for the other",
      [
        { ...moved(first, 2), id: first.id.replace(/^1:/u, "2:") },
        { ...moved(second, 1), id: second.id.replace(/^2:/u, "1:") }
      ]
    ]
  }
  yield ["truncated", documents.map(({ id }) => ({ id, source: {} }))]
  const fields = new Set(documents.flatMap(({ source }) => Object.keys(source)))
  for (const field of fields) {
    yield [`without ${field}`, documents.map(({ id, source: { [field]: _field, ...source } }) => ({ id, source }))]
    for (const value of wrongTypes) {
      yield [
        `${field} ${JSON.stringify(value)}`,
        documents.map(({ id, source }) => ({ id, source: { ...source, [field]: value } }))
      ]
    }
  }
}

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a document of any index", () => {
  const url = "missing" in node ? "" : node.url
  const stores = Layer.unwrap(Effect.map(emptyCluster(url), openSearch))
  const ask = (method: string, path: string, body?: string) =>
    Effect.promise(async (): Promise<any> => {
      const headers = { "content-type": "application/x-ndjson" }
      const response = await fetch(`${url}/${path}`, { method, ...(body === undefined ? {} : { headers, body }) })
      return response.json()
    })

  it.live("shows nothing of another tenant, and is named where it is left out, however somebody changed it", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { cluster } = (yield* KeyedCluster).now
      const requests = [yield* fill(1), yield* fill(2)]
      const indices: ReadonlyArray<string> = Object.keys(yield* ask("GET", `${cluster.prefix}-*`)).toSorted()
      assert.isAbove(indices.length, 15)
      const read = Effect.fnUntraced(function* (index: string) {
        yield* ask("POST", `${index}/_refresh`)
        const { hits } = yield* ask("POST", `${index}/_search?size=100`, "{}")
        return hits.hits.map(({ _id, _source }: any): RawDocument => ({ id: _id, source: _source }))
      })
      /** Documents that the mapping refuses stay as they are. */
      const write = (index: string, documents: ReadonlyArray<RawDocument>) =>
        ask(
          "POST",
          `${index}/_bulk?refresh=true`,
          documents
            .map(({ id, source }) => `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(source)}\n`)
            .join("")
        )
      /** The answers to all requests, without the cursors. */
      const answers = Effect.forEach(
        requests.flatMap((ofTenant, at) => ofTenant.map((request) => [at + 1, request] as const)),
        ([tenant, [method, path, body]]) =>
          Effect.map(call(tenant, method, path, body), ({ status, text }) => ({
            tenant,
            status,
            request: `${method} ${path}`,
            text: text.replaceAll(/"next":"[^"]*"/gu, "")
          })),
        { concurrency: 6 }
      )
      const expected = yield* answers
      for (const { request, status, tenant, text } of expected) {
        assert.strictEqual(status, 200, `${request}: ${text}`)
        assert.include(text, words[tenant - 1] ?? "", request)
      }
      for (const index of indices) {
        const documents: ReadonlyArray<RawDocument> = yield* read(index)
        const remove = (ids: Iterable<string>) =>
          Effect.forEach(ids, (id) => ask("DELETE", `${index}/_doc/${encodeURIComponent(id)}?refresh=true`))
        // An attacker can also delete documents, which nothing reports.
        yield* remove(documents.map(({ id }) => id))
        const shortened = yield* answers
        yield* write(index, documents)
        for (const [what, changed] of changesOf(documents)) {
          yield* write(index, changed)
          for (const [at, { request, status, tenant, text }] of (yield* answers).entries()) {
            const where = `${index}, ${what}: ${request} of ${tenant}: ${status} ${text}`
            assert.notStrictEqual(status, 500, where)
            if (!request.includes("global")) assert.notInclude(text, words[2 - tenant] ?? "", where)
            if (text === expected[at]?.text || text === shortened[at]?.text) continue
            // The state is named in the log as what cannot be read, because nothing can be answered without it.
            const isNamed = changed.some(({ id }) => cluster.foreign.names.includes(`${id} in ${index}`))
            if (!/-(?:keys|state)-v\d+$/u.test(index)) assert.isTrue(isNamed, where)
          }
          const ids = new Set(documents.map(({ id }) => id))
          yield* remove(changed.flatMap(({ id }) => (ids.has(id) ? [] : [id])))
          yield* write(index, documents)
        }
        // A service caches keys and the state briefly.
        while ((yield* call(1, "GET", "/v4/reports")).status !== 200) yield* Effect.sleep("100 millis")
        while ((yield* call(2, "GET", "/v4/reports")).status !== 200) yield* Effect.sleep("100 millis")
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

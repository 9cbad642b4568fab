import { assert, it } from "@effect/vitest"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const create = (body: unknown, tenantId = 1) =>
  ServiceForTest.use((service) => service.call(tenantId, "POST", "/v2/assets/", body))

const eventsOf = (id: number, body: unknown = {}, tenantId = 1) =>
  ServiceForTest.use((service) => service.call(tenantId, "POST", `/v4/events/identifiers/${id}/_search`, body))

const uids = (items: ReadonlyArray<{ readonly metadata: { readonly uid: string } }>) =>
  items.map(({ metadata }) => Number(metadata.uid.split("/")[2]))

const past = [
  eventForTest(1, "paste", { content: "jane@example.com and 192.0.2.9 and Jane Doe" }),
  eventForTest(2, "stealer_log", {
    victim_information: { ip_address: "192.0.2.9", username: "jdoe" },
    credentials: [{ username: "jane@example.com", password: "hunter2" }]
  }),
  eventForTest(3, "ransomleak", { title: "Example Corp", victim_information: { domain: "example.com" } }),
  eventForTest(4, "cc", { bin: "400000", owner: "Doe, Jane" }),
  eventForTest(5, "source_code", { url: "https://github.com/example-corp/checkout" })
]

describeOnEngines("Identifiers", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))

  it.live("answers with every field of an asset", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      yield* loadEvents(...past)
      const { body, status } = yield* create({
        name: "example.com",
        type: "domain",
        search_types: ["paste", "infected_devices"],
        data: { fqdn: "example.com", type: "domain" },
        experimental_search_types: ["tomorrow"],
        risks: [1, 2]
      })
      assert.strictEqual(status, 200)
      const { data_updated_at, id, v3_refs, ...asset } = body.asset
      assert.match(v3_refs.asset_uuid, /^[0-9a-f]{8}-/)
      assert.match(data_updated_at, /^\d{4}-\d\d-\d\dT/)
      assert.deepStrictEqual(asset, {
        type: "domain",
        search_types: ["paste", "infected_devices"],
        name: "example.com",
        data: { fqdn: "example.com", type: "domain" },
        tenant_id: 1,
        feed_id: id,
        experimental_search_types: ["tomorrow"],
        risks: [1, 2],
        fetching_progress: 100,
        count: 2,
        urn: `urn:threat-exposure:identifier:${id}`,
        is_disabled: false,
        source: "USER"
      })
      assert.deepStrictEqual(uids((yield* eventsOf(id)).body.items), [2, 1])
    }).pipe(provided)
  )

  const watched: ReadonlyArray<readonly [asset: Record<string, unknown>, ...events: ReadonlyArray<number>]> = [
    [{ type: "domain", name: "Example.COM" }, 3, 2, 1],
    [{ type: "domain", name: "ours", data: { fqdn: "example.com", type: "domain" } }, 3, 2, 1],
    [{ type: "name", name: "Jane Doe" }, 4, 1],
    [{ type: "name", name: "x", data: { first_name: "Jane", last_name: "Doe", is_strict: true } }, 1],
    [{ type: "keyword", name: "example corp" }, 5, 3],
    [{ name: "example corp" }, 5, 3],
    [{ type: "keyword", name: "example corp", search_types: ["source_code"] }, 5],
    [{ type: "github_repository", name: "https://github.com/Example-Corp/checkout" }, 5],
    [{ type: "github_repository", name: "shop", data: { repo_owner: "example-corp", repo_name: "checkout" } }, 5],
    [{ type: "username", name: "jdoe" }, 2],
    [{ type: "email", name: "JANE@example.com" }, 2, 1],
    [{ type: "search_query", name: "jane NOT type:cc" }, 2, 1],
    [{ type: "bin", name: "400000" }, 4],
    [{ type: "ip", name: "192.0.2.9" }, 2, 1],
    [{ type: "secret", name: "hunter2" }, 2],
    [{ type: "azure_tenant", name: "nowhere" }],
    [{ type: "identity", name: "jane@example.com" }, 2, 1],
    [{ type: "ransomleak", name: "Example Corp" }, 3],
    [{ type: "external_id", name: "example-corp" }, 5, 3],
    [{ type: "birth_year", name: "1990" }],
    [{ type: "role", name: "Jane" }]
  ]
  it.live("match existing events when they are created", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      yield* loadEvents(...past)
      for (const [asset, ...expected] of watched) {
        const { body } = yield* create(asset)
        assert.deepStrictEqual(uids((yield* eventsOf(body.asset.id)).body.items), expected, JSON.stringify(asset))
        assert.strictEqual(body.asset.count, expected.length)
      }
    }).pipe(provided)
  )

  it.live("match events that are loaded later", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const ids: Array<number> = []
      for (const [asset] of watched) ids.push((yield* create(asset)).body.asset.id)
      yield* loadEvents(...past)
      for (const [index, [asset, ...expected]] of watched.entries()) {
        const { body } = yield* eventsOf(ids[index] ?? 0)
        assert.deepStrictEqual(uids(body.items), expected, JSON.stringify(asset))
      }
    }).pipe(provided)
  )

  it.live("does not exist for another tenant", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      yield* loadEvents(...past)
      const mine = yield* create({ name: "example.com", type: "domain" })
      yield* create({ name: "jane", type: "keyword" }, 2)
      const other = yield* eventsOf(mine.body.asset.id, {}, 2)
      assert.strictEqual(other.status, 404)
      assert.strictEqual(other.body.error.code, "NOT_FOUND")
      assert.strictEqual((yield* eventsOf(999)).status, 404)
      const { body } = yield* eventsOf(mine.body.asset.id)
      assert.deepStrictEqual(body.items[1].identifiers, [{ id: mine.body.asset.id, name: "example.com" }])
      assert.deepStrictEqual(body.items[0].highlights, {
        "victim_information.domain": ["<mark>example.com</mark>"]
      })
    }).pipe(provided)
  )

  it.live("returns with each event the matched identifiers of the tenant, without a secret as a name", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const domain = yield* create({ name: "example.com", type: "domain" })
      const secret = yield* create({ name: "hunter2", type: "secret" })
      assert.strictEqual(secret.body.asset.name, "hunter2")
      const labelled = yield* create({ name: "Database", type: "secret", data: { secret: "hunter2" } })
      yield* loadEvents(...past)
      const { body } = yield* eventsOf(secret.body.asset.id, { query: { type: "secret", secret: "hunter2" } })
      assert.deepStrictEqual(body.items[0].identifiers, [
        { id: domain.body.asset.id, name: "example.com" },
        { id: secret.body.asset.id, name: "<redacted>" },
        { id: labelled.body.asset.id, name: "Database" }
      ])
      assert.deepStrictEqual(body.items[0].highlights, { "credentials.password": ["<mark>••••••••</mark>"] })
    }).pipe(provided)
  )

  it.live("searches and filters only its own events", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(...past)
      const { id } = (yield* create({ name: "example.com", type: "domain" })).body.asset
      const found = (body: unknown) => Effect.map(eventsOf(id, body), ({ body }) => uids(body.items))
      assert.deepStrictEqual(yield* found({ query: { type: "keyword", keyword: "jane" } }), [2, 1])
      assert.deepStrictEqual(yield* found({ query: { type: "bin", bin: "400000" } }), [])
      assert.deepStrictEqual(yield* found({ filters: { type: ["illicit_networks"] } }), [3, 2])
      assert.deepStrictEqual(
        yield* found({ filters: { type: ["paste"] }, query: { type: "ip", ip: "192.0.2.9" } }),
        [1]
      )
      assert.deepStrictEqual(yield* found({ order: "asc", size: 2 }), [1, 2])
      const first = yield* eventsOf(id, { size: 2 })
      assert.deepStrictEqual(yield* found({ size: 2, from: first.body.next }), [1])
      assert.strictEqual((yield* eventsOf(id, { filters: { type: ["stealer_log"] } })).status, 422)
      assert.strictEqual(
        (yield* call(1, "POST", "/v4/events/global/_search", { size: 2, from: first.body.next })).status,
        422
      )
    }).pipe(provided)
  )
})

// This answer does not depend on the store.
describeOnSqlite("a new identifier", ({ stores }) => {
  it.live("refuses a search query that cannot be read", () =>
    Effect.gen(function* () {
      const { body, status } = yield* create({ name: "good (bad", type: "search_query" })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "INVALID_QUERY")
      assert.include(body.message, "character 5")
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

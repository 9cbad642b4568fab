import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const path = "/v4/identifiers/"

/** The items of all pages of a listing. */
const all = Effect.fnUntraced(function* (query: string, tenantId = 1) {
  const { call } = yield* ServiceForTest
  const items: Array<any> = []
  let from: string | null = null
  do {
    const next: string = from === null ? "" : `&from=${encodeURIComponent(from)}`
    const { body, status } = yield* call(tenantId, "GET", `${path}?${query}${next}`)
    assert.strictEqual(status, 200)
    items.push(...body.items)
    from = body.next
  } while (from !== null)
  return items
})

describeOnEngines("Identifiers of v4", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))

  it.live("are listed in the order asked for, with filters, and read one by one", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        eventForTest(1, "paste", { content: "see example.com and jane@example.com" }),
        eventForTest(2, "paste", { content: "see example.com" })
      )
      const created: Array<number> = []
      for (const asset of [
        { name: "example.com", type: "domain" },
        { name: "zebra", type: "keyword" },
        { name: "Shop", type: "domain", data: { type: "domain", fqdn: "shop.example.com" } },
        { name: "jane@example.com", type: "identity" },
        { name: "apple", type: "search_query", search_types: ["paste"], experimental_search_types: ["docker"] },
        { name: "hunter2", type: "secret" },
        { name: "apple", type: "username" },
        { name: "https://github.com/a/b", type: "github_repository" },
        { name: "Jane van Doe", type: "name" },
        { name: "4711", type: "external_id" }
      ]) {
        created.push((yield* call(1, "POST", "/v2/assets/", asset)).body.asset.id)
      }
      yield* call(2, "POST", "/v2/assets/", { name: "theirs", type: "domain" })
      const at = (...places: ReadonlyArray<number>) => places.map((place) => created[place] ?? assert.fail())
      const ids = (query: string) => Effect.map(all(query), (items) => items.map(({ id }) => id))

      assert.deepStrictEqual(yield* ids(""), created)
      for (const size of [1, 3, 100]) {
        assert.deepStrictEqual(yield* ids(`size=${size}`), created)
        assert.deepStrictEqual(yield* ids(`size=${size}&order_by=name`), at(9, 5, 8, 2, 4, 6, 0, 7, 3, 1))
        assert.deepStrictEqual(yield* ids(`size=${size}&order_by=type`), at(0, 2, 9, 7, 3, 1, 8, 4, 5, 6))
        assert.deepStrictEqual(yield* ids(`size=${size}&types=domain&types=secret`), at(0, 2, 5))
      }
      assert.deepStrictEqual(yield* ids("is_disabled=false&authorization_status=authorized"), created)
      assert.deepStrictEqual(yield* ids("is_disabled=true"), [])
      assert.deepStrictEqual(yield* ids("group_id=1"), [])
      assert.deepStrictEqual(yield* ids("authorization_status=pending"), [])
      assert.deepStrictEqual(
        (yield* all("", 2)).map(({ name }) => name),
        ["theirs"]
      )
      // A connection remembers this name from the last listing.
      const late = (yield* call(1, "POST", "/v2/assets/", { name: "aardvark" })).body.asset.id
      assert.deepStrictEqual((yield* ids("order_by=name")).slice(3, 6), [...at(2), late, ...at(4)])

      const items = yield* all("")
      const { updated_at, ...first } = items[0]
      assert.match(updated_at, /^\d{4}-/u)
      assert.deepStrictEqual(first, {
        id: created[0],
        name: "example.com",
        tenant_id: 1,
        data: { type: "domain", fqdn: "example.com" },
        categories: [],
        emerging_categories: [],
        severities: [],
        group_id: null,
        enrichments: {
          domain_reachable_at: null,
          domain_resolves_at: null,
          usage_count: null,
          event_count: 2,
          authorization_status: "authorized"
        },
        is_disabled: false
      })
      assert.deepStrictEqual(
        items.slice(1, 10).map(({ data, enrichments, name }) => [name, data, enrichments.event_count]),
        [
          ["zebra", { type: "keyword", keyword: "zebra" }, 0],
          ["Shop", { type: "domain", fqdn: "shop.example.com" }, 0],
          ["jane@example.com", { type: "identity", attributes: [{ type: "email", email: "jane@example.com" }] }, 1],
          ["apple", { type: "search_query", search_query: "apple" }, 0],
          ["<redacted>", { type: "secret", secret: "hunter2" }, 0],
          ["apple", { type: "username", username: "apple" }, 0],
          ["https://github.com/a/b", { type: "github_repository", repo_owner: "a", repo_name: "b" }, 0],
          ["Jane van Doe", { type: "name", first_name: "Jane", last_name: "van Doe", is_strict: false }, 0],
          ["4711", { type: "external_id", external_id: "4711" }, 0]
        ]
      )
      assert.deepStrictEqual([items[4].categories, items[4].emerging_categories], [["paste"], ["docker"]])

      assert.deepStrictEqual((yield* call(1, "GET", `${path}${created[0]}`)).body, items[0])
      assert.strictEqual((yield* call(2, "GET", `${path}${created[0]}`)).status, 404)
      assert.strictEqual((yield* call(1, "GET", `${path}4711`)).status, 404)

      const { next } = (yield* call(1, "GET", `${path}?size=2`)).body
      for (const other of ["size=2&order_by=name", "types=domain", "is_disabled=false"]) {
        const { body, status } = yield* call(1, "GET", `${path}?${other}&from=${encodeURIComponent(next)}`)
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(body.detail[0].loc, ["query", "from"])
      }
      assert.strictEqual((yield* call(2, "GET", `${path}?from=${encodeURIComponent(next)}`)).status, 422)
      const refused = yield* call(1, "GET", `${path}?size=101&order_by=age&is_disabled=perhaps&group_id=x`)
      assert.deepStrictEqual(
        refused.body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc[1]),
        ["order_by", "is_disabled", "group_id", "size"]
      )
    }).pipe(provided)
  )

  const body = (data: unknown, more: object = {}) => ({
    data,
    categories: [],
    emerging_categories: [],
    severities: [],
    ...more
  })
  const eventsOf = (id: number) =>
    ServiceForTest.use(({ call }) =>
      Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, { order: "asc" }), ({ body, status }) =>
        status === 200 ? body.items.map(({ metadata }: any) => Number(metadata.uid.split("/")[2])) : status
      )
    )

  it.live("are created with any data, and match events of their types and severities", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        eventForTest(1, "paste", { content: "acme and jane@example.com" }, { severity: "high" }),
        eventForTest(2, "chat_message", { content: "acme and jdoe" }, { severity: "high" }),
        eventForTest(3, "paste", { content: "acme by Jane Doe" }, { severity: "low" })
      )
      const attributes = [
        { type: "email", email: "jane@example.com" },
        { type: "name", first_name: "Jane", last_name: "Doe", is_strict: true }
      ]
      const keyword = { type: "keyword", keyword: "acme" }
      for (const [given, name, ...expected] of [
        [body(keyword), "acme", 1, 2, 3],
        [body(keyword, { name: "Brand", categories: ["paste"] }), "Brand", 1, 3],
        [body(keyword, { emerging_categories: ["chat_message"] }), "acme", 2],
        [body(keyword, { categories: ["paste"], emerging_categories: ["chat_message"] }), "acme", 1, 2, 3],
        [body(keyword, { severities: ["high", "critical"] }), "acme", 1, 2],
        [body({ type: "search_query", search_query: "acme NOT jdoe" }), "acme NOT jdoe", 1, 3],
        [body({ type: "identity", attributes }), "jane@example.com, Jane Doe", 1, 3],
        [body({ type: "github_repository", repo_owner: "a", repo_name: "b" }), "a/b"],
        [body({ type: "azure_tenant", tenant_id: "nowhere" }), "nowhere"],
        [body({ type: "secret", secret: "hunter2" }), "<redacted>"],
        [body({ type: "secret", secret: "hunter3" }, { name: "Database" }), "Database"]
      ] as const) {
        const { body: created, status } = yield* call(1, "POST", path, given)
        assert.strictEqual(status, 200, JSON.stringify(created))
        const { enrichments, id, updated_at, ...identifier } = created
        assert.match(updated_at, /^\d{4}-/u)
        assert.strictEqual(enrichments.event_count, expected.length)
        assert.deepStrictEqual(identifier, {
          ...given,
          name,
          tenant_id: 1,
          group_id: null,
          is_disabled: false
        })
        assert.deepStrictEqual((yield* call(1, "GET", `${path}${id}`)).body, created)
        assert.deepStrictEqual(yield* eventsOf(id), expected)
      }

      const refused = yield* call(1, "POST", path, {
        data: { type: "search_query", search_query: "good (bad" },
        categories: [],
        emerging_categories: [],
        severities: []
      })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(refused.body.detail[0].loc, ["body", "data", "search_query"])
      const unknownGroup = yield* call(1, "POST", path, body(keyword, { group_id: 7 }))
      assert.strictEqual(unknownGroup.status, 422)
      assert.deepStrictEqual(unknownGroup.body.detail[0].loc, ["body", "group_id"])
      const wrong = yield* call(1, "POST", path, { data: { type: "planet" }, categories: "paste", severities: ["odd"] })
      assert.deepStrictEqual(
        wrong.body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join(".")),
        ["body.data.type", "body.categories", "body.emerging_categories", "body.severities.0"]
      )
      assert.lengthOf(yield* all(""), 11)
    }).pipe(provided)
  )

  it.live("are matched again when they change, and keep what they have while they are disabled", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const paste = (number: number, content: string) => eventForTest(number, "paste", { content })
      yield* loadEvents(paste(1, "acme"), paste(2, "otter"), paste(3, "acme otter"))
      const group = (yield* call(1, "POST", "/v2/assets/groups/", { name: "Brands" })).body.assets_group.id
      const keyword = (keyword: string, more: object = {}) => body({ type: "keyword", keyword }, more)
      const { id } = (yield* call(1, "POST", path, keyword("acme"))).body
      const other = (yield* call(1, "POST", path, keyword("acme", { name: "Other" }))).body.id
      const put = (given: unknown, tenantId = 1) => call(tenantId, "PUT", `${path}${id}`, given)

      const changed = (yield* put(keyword("otter", { group_id: group }))).body
      assert.deepStrictEqual(
        [changed.name, changed.group_id, changed.is_disabled, changed.enrichments.event_count],
        ["otter", group, false, 2]
      )
      assert.deepStrictEqual(yield* eventsOf(id), [2, 3])
      assert.deepStrictEqual(yield* eventsOf(other), [1, 3])
      yield* loadEvents(paste(4, "acme"), paste(5, "otter"))
      assert.deepStrictEqual(yield* eventsOf(id), [2, 3, 5])

      // Absent fields stay unchanged, and so does a given name.
      yield* put(keyword("otter", { name: "Otters" }))
      const disabled = (yield* put(keyword("otter", { is_disabled: true }))).body
      assert.deepStrictEqual([disabled.name, disabled.group_id, disabled.is_disabled], ["Otters", group, true])
      yield* loadEvents(paste(6, "otter"))
      assert.deepStrictEqual(yield* eventsOf(id), [2, 3, 5])
      assert.deepStrictEqual(
        (yield* all("is_disabled=true")).map(({ id }) => id),
        [id]
      )
      assert.deepStrictEqual(
        (yield* all(`group_id=${group}&order_by=name`)).map(({ id }) => id),
        [id]
      )
      yield* put(keyword("acme"))
      assert.deepStrictEqual(yield* eventsOf(id), [2, 3, 5])
      const enabled = (yield* put(keyword("acme", { is_disabled: false, group_id: null }))).body
      assert.deepStrictEqual([enabled.name, enabled.group_id, enabled.enrichments.event_count], ["Otters", null, 3])
      assert.deepStrictEqual(yield* eventsOf(id), [1, 3, 4])

      // The data of v2 may be any JSON.
      for (const data of [{ a: [true, 1, "b", null, { c: 2 }] }, { attributes: [7] }, { type: ["x"] }]) {
        for (const type of ["identity", "external_id", "role"]) {
          const { asset } = (yield* call(1, "POST", "/v2/assets/", { name: "any", type, data })).body
          assert.strictEqual((yield* call(1, "PUT", `${path}${asset.id}`, keyword("x"))).status, 200)
        }
      }

      assert.strictEqual((yield* put(keyword("x"), 2)).status, 404)
      assert.strictEqual((yield* put(keyword("x", { group_id: 99 }))).status, 422)
      assert.strictEqual((yield* put(body({ type: "search_query", search_query: "(" }))).status, 422)
      assert.deepStrictEqual(yield* eventsOf(id), [1, 3, 4])
    }).pipe(provided)
  )

  it.live("are deleted with their matches and assignments, and the events stay for others", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        eventForTest(1, "paste", { content: "acme" }),
        eventForTest(2, "paste", { content: "acme otter" })
      )
      const create = (keyword: string, tenantId = 1) =>
        Effect.map(call(tenantId, "POST", path, body({ type: "keyword", keyword })), ({ body }): number => body.id)
      const acme = yield* create("acme")
      const otter = yield* create("otter")
      const policy = (yield* call(1, "POST", "/v4/matching-policies", {
        name: "a",
        type: "INCLUDED_KEYWORDS",
        value: { keywords: ["acme"] }
      })).body.uuid
      const assignments = `/v4/matching-policies/${policy}/assignments`
      yield* call(1, "POST", assignments, { identifier_ids: [acme, otter] })

      assert.strictEqual((yield* call(2, "DELETE", `${path}${acme}`)).status, 404)
      const deletions = yield* Effect.all(
        [1, 2, 3].map(() => call(1, "DELETE", `${path}${acme}`)),
        { concurrency: 3 }
      )
      assert.deepStrictEqual(deletions.map(({ status }) => status).toSorted(), [202, 404, 404])
      assert.isUndefined(deletions.find(({ status }) => status === 202)?.body)
      assert.strictEqual((yield* call(1, "GET", `${path}${acme}`)).status, 404)
      assert.strictEqual(yield* eventsOf(acme), 404)
      for (const order of ["id", "name"]) {
        assert.deepStrictEqual(
          (yield* all(`order_by=${order}`)).map(({ id }) => id),
          [otter]
        )
      }
      const tenantEvents = (yield* call(1, "POST", "/v4/events/tenant/_search", {})).body.items
      assert.deepStrictEqual(
        tenantEvents.map(({ identifiers, metadata }: any) => [
          metadata.uid,
          identifiers.map(({ id }: { id: number }) => id)
        ]),
        [["test/source/2", [otter]]]
      )
      assert.deepStrictEqual(
        (yield* call(1, "GET", assignments)).body.items.map(({ identifier_id }: any) => identifier_id),
        [otter]
      )
      assert.strictEqual((yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${acme}`)).status, 404)
      const act = { targets: [{ uid: "test/source/1" }], action: { type: "ignore" } }
      assert.strictEqual((yield* call(1, "POST", "/v4/events/actions", act)).status, 404)
      assert.strictEqual((yield* call(1, "GET", "/v4/events/?uid=test%2Fsource%2F1")).status, 200)

      yield* loadEvents(eventForTest(3, "paste", { content: "acme" }))
      assert.lengthOf((yield* call(1, "POST", "/v4/events/tenant/_search", {})).body.items, 1)
      assert.notInclude([acme, otter], yield* create("acme"))
    }).pipe(provided)
  )
})

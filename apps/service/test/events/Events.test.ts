import { assert, describe, it } from "@effect/vitest"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { type Answer, eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const search = (body: unknown, tenantId = 1) =>
  ServiceForTest.use((service) => service.call(tenantId, "POST", "/v4/events/global/_search", body))

const uids = (items: ReadonlyArray<{ readonly metadata: { readonly uid: string } }>) =>
  items.map(({ metadata }) => Number(metadata.uid.split("/")[2]))

const found = (body: unknown) =>
  Effect.map(search(body), ({ body, status }) => {
    assert.strictEqual(status, 200)
    return uids(body.items)
  })

/** Assembled at run time, so that no file contains a value that looks like a provider's token. */
const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")

const events = [
  eventForTest(1, "cc", { bin: "40000012", bank: "Otterbank", owner: "Jane Doe" }, { severity: "high" }),
  eventForTest(2, "service", {
    url: "https://vpn.example.com:8443/",
    ip_address: "2001:0DB8::0017",
    hostname: "vpn.example.com"
  }),
  eventForTest(3, "stealer_log", {
    victim_information: { ip_address: "192.0.2.44", username: "jdoe" },
    malware_information: { malware_family: "Mothlamp" },
    credentials: [{ url: "https://sso.example.org/login", username: "Jane.Doe@example.com", password: "Tr0ub4dor&3" }]
  }),
  eventForTest(4, "leaked_credential", { identity_name: "john@sub.example.com", password: "hunter2", source: null }),
  eventForTest(5, "paste", {
    title: "Notes",
    content: `mail JOHN@sub.example.com about it\nexport GITHUB_TOKEN="${token}"\nbob@example.net:s3cret;pass!\n@saltmarsh did it`
  }),
  eventForTest(6, "source_code_files", {
    url: "https://github.com/Example-Corp/Checkout/blob/main/a.py",
    content: "pay('Example Corp')"
  }),
  eventForTest(7, "forum_post", {
    content: "doe, jane: works at Example-Corp. Tenant 0B5E2D1C-5A3F-4C7E-9D61-7F0E5A2C9B48",
    actor: { id: "7", name: "Saltmarsh" }
  }),
  eventForTest(8, "chat_message", { content: "Jane met Mr. Doe; call 198.51.100.7, BINs 400000 and 51000000" }),
  eventForTest(9, "lookalike", { domain: "examp1e.example.net", identifier_domains: ["example.com"] }),
  eventForTest(10, "ad", { title: "Brand new", body: "Exämple Corp logs" })
]

const loaded = ServiceForTest.use((service) => service.loadEvents(...events))

describeOnEngines("Events", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))
  const variants: ReadonlyArray<readonly [query: Record<string, unknown>, ...events: ReadonlyArray<number>]> = [
    [{ type: "domain", fqdn: "example.com" }, 9, 5, 4, 3, 2],
    [{ type: "domain", fqdn: "SUB.example.com." }, 5, 4],
    [{ type: "domain", fqdn: "ample.com" }],
    [{ type: "email", email: "john@SUB.example.com" }, 5, 4],
    [{ type: "email", email: "john@example.com" }],
    [{ type: "username", username: "saltmarsh" }, 7, 5],
    [{ type: "username", username: "JDOE" }, 3],
    [{ type: "username", username: "john" }, 4],
    [{ type: "ip", ip: "2001:db8:0:0::17" }, 2],
    [{ type: "ip", ip: "192.0.2.44" }, 3],
    [{ type: "ip", ip: "::ffff:198.51.100.7" }, 8],
    [{ type: "ip", ip: "nonsense" }],
    [{ type: "bin", bin: "400000" }, 8, 1],
    [{ type: "bin", bin: "40000012" }, 1],
    [{ type: "bin", bin: "510000" }, 8],
    [{ type: "github_repository", repo_owner: "example-corp", repo_name: "checkout" }, 6],
    [{ type: "github_repository", repo_owner: "example-corp", repo_name: "check" }],
    [{ type: "azure_tenant", tenant_id: "0b5e2d1c-5a3f-4c7e-9d61-7f0e5a2c9b48" }, 7],
    [{ type: "secret", secret: "hunter2" }, 4],
    [{ type: "secret", secret: "Hunter2" }],
    [{ type: "secret", secret: "Tr0ub4dor&3" }, 3],
    [{ type: "secret", secret: "s3cret;pass!" }, 5],
    [{ type: "secret", secret: token }, 5],
    [{ type: "credentials", username: "jane.doe@EXAMPLE.com", password: "Tr0ub4dor&3" }, 3],
    [{ type: "credentials", username: "john", password: "hunter2" }, 4],
    [{ type: "credentials", username: "john", password: "Tr0ub4dor&3" }],
    [{ type: "keyword", keyword: "example corp" }, 10, 7, 6],
    [{ type: "keyword", keyword: "corp example" }],
    [{ type: "keyword", keyword: "hunter2" }],
    [{ type: "brand", name: "Example Corp" }, 10, 7, 6],
    [{ type: "name", first_name: "Jane", last_name: "Doe", is_strict: true }, 3, 1],
    [{ type: "name", first_name: "Jane", last_name: "Doe" }, 8, 7, 3, 1],
    [{ type: "query_string", query_string: "jane AND NOT type:cc" }, 8, 7, 3]
  ]
  it.live("finds what docs/api.md promises for every kind of query", () =>
    Effect.gen(function* () {
      yield* loaded
      for (const [query, ...expected] of variants) {
        assert.deepStrictEqual(yield* found({ query }), expected, JSON.stringify(query))
      }
    }).pipe(provided)
  )

  it.live("finds everything without a query, newest first or last", () =>
    Effect.gen(function* () {
      yield* loaded
      assert.deepStrictEqual(yield* found({}), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* found({ order: "asc", size: 3 }), [1, 2, 3])
    }).pipe(provided)
  )

  it.live("filters by severity: one is a minimum, a list is exact", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const severities = ["info", "low", "medium", "high", "critical"]
      yield* loadEvents(
        ...severities.map((severity, index) => eventForTest(index, "paste", { content: "x" }, { severity }))
      )
      assert.deepStrictEqual(yield* found({ filters: { severity: "medium" } }), [4, 3, 2])
      assert.deepStrictEqual(yield* found({ filters: { severity: "info" } }), [4, 3, 2, 1, 0])
      assert.deepStrictEqual(yield* found({ filters: { severity: ["low", "critical"] } }), [4, 1])
      assert.deepStrictEqual(yield* found({ filters: { severity: [] } }), [])
    }).pipe(provided)
  )

  it.live("filters by type, including names that stand for several types", () =>
    Effect.gen(function* () {
      yield* loaded
      const types = (...type: ReadonlyArray<string>) => found({ filters: { type } })
      assert.deepStrictEqual(yield* types("leak"), [4])
      assert.deepStrictEqual(yield* types("infected_devices"), [3])
      assert.deepStrictEqual(yield* types("financial_data", "domain"), [9, 1])
      assert.deepStrictEqual(yield* types("illicit_networks"), [10, 8, 7, 3, 1])
      assert.deepStrictEqual(yield* types("open_web"), [6, 5, 2])
      assert.deepStrictEqual(
        yield* found({ query: { type: "keyword", keyword: "jane" }, filters: { type: ["chat_message"] } }),
        [8]
      )
    }).pipe(provided)
  )

  it.live("filters by no type that its search does not have", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { id } = (yield* call(1, "POST", "/v2/assets/", { name: "orchard", type: "keyword" })).body.asset
      for (const [path, unknown] of [
        ["/v4/events/global/_search", "leaked_credential"],
        [`/v4/events/identifiers/${id}/_search`, "bucket_object"]
      ] as const) {
        const { body, status } = yield* call(1, "POST", path, { filters: { type: ["leak", unknown] } })
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(
          body.detail.map(({ loc, type }: any) => [loc.join("."), type]),
          [["body.filters.type.1", "literal_error"]]
        )
        assert.strictEqual((yield* call(1, "POST", path, { filters: { type: ["leak"] } })).status, 200)
      }
    }).pipe(provided)
  )

  it.live("filters by time, to the microsecond", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const times = ["10:00:00.000001Z", "10:00:00.000002", "12:00:00.000003+02:00", "10:00:00.000003500Z"]
      yield* loadEvents(
        ...times.map((time, index) =>
          eventForTest(index, "paste", { content: "x" }, { estimated_created_at: `2026-01-01T${time}` })
        )
      )
      const within = (estimated_created_at: Record<string, string>) =>
        found({ order: "asc", filters: { estimated_created_at } })
      assert.deepStrictEqual(yield* within({}), [0, 1, 2, 3])
      assert.deepStrictEqual(yield* within({ gt: "2026-01-01T10:00:00.000001Z" }), [1, 2, 3])
      assert.deepStrictEqual(yield* within({ gte: "2026-01-01T10:00:00.000002Z" }), [1, 2, 3])
      assert.deepStrictEqual(yield* within({ lt: "2026-01-01T10:00:00.000002Z" }), [0])
      assert.deepStrictEqual(yield* within({ lte: "2026-01-01T11:00:00.000002+01:00" }), [0, 1])
      assert.deepStrictEqual(
        yield* within({ gt: "2026-01-01T10:00:00.000001Z", lt: "2026-01-01T10:00:00.000003Z" }),
        [1]
      )
      assert.deepStrictEqual(yield* within({ lt: "2026-01-01" }), [])
      assert.deepStrictEqual(yield* within({ gte: "2026-01-01" }), [0, 1, 2, 3])
    }).pipe(provided)
  )

  it.live("filters by the earliest and latest times that can be represented", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const times = ["0001-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
      yield* loadEvents(
        ...times.map((estimated_created_at, index) =>
          eventForTest(index, "paste", { content: "x" }, { estimated_created_at })
        )
      )
      const within = (estimated_created_at: Record<string, string>) =>
        found({ order: "asc", filters: { estimated_created_at } })
      assert.deepStrictEqual(yield* within({ lte: "9999-12-31T23:59:59Z" }), [0, 1, 2])
      assert.deepStrictEqual(yield* within({ gte: "2300-01-01" }), [2])
      assert.deepStrictEqual(yield* within({ lte: "1600-01-01" }), [0])
      assert.deepStrictEqual(yield* within({ gt: "1700-01-01", lt: "2200-01-01" }), [1])
    }).pipe(provided)
  )

  it.live("orders thousands of events of the same microsecond by uid", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const many = Array.from({ length: 2_500 }, (_, number) =>
        eventForTest(number, "paste", { content: "same" }, { estimated_created_at: "2026-01-01T00:00:00Z" })
      )
      yield* loadEvents(
        ...many,
        eventForTest(9_000, "paste", { content: "late" }, { estimated_created_at: "2026-01-01T00:00:01Z" })
      )
      assert.deepStrictEqual(yield* found({ order: "asc", size: 2 }), [0, 1])
      assert.deepStrictEqual(yield* found({ size: 3 }), [9_000, 999, 998])
      assert.deepStrictEqual(
        yield* found({ filters: { estimated_created_at: { lte: "2026-01-01T00:00:00Z" } }, size: 1 }),
        [999]
      )
      assert.strictEqual(yield* loadEvents(...many), 0)
    }).pipe(provided)
  )

  it.live("pages through all of them, without loss or duplicate while others are loaded", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      const number = 29
      let odd = 979
      yield* loadEvents(
        ...Array.from({ length: number }, (_, at) => eventForTest(at * 2, "paste", { content: "word" }))
      )
      for (const order of ["asc", "desc"]) {
        for (const size of [1, 7, 10]) {
          const seen: Array<number> = []
          let from: string | null = null
          do {
            const { body }: Answer = yield* search({ query: { type: "keyword", keyword: "word" }, size, order, from })
            assert.isAtMost(body.items.length, size)
            seen.push(...uids(body.items))
            from = body.next
            // Fifteen in all, before and after the current position of the listing.
            odd += 2
            if (odd < 1_011) {
              yield* loadEvents(
                eventForTest(
                  odd,
                  "paste",
                  { content: "word, but odd and in between" },
                  {
                    estimated_created_at: new Date(Date.UTC(2026, 0, 1, 0, odd % 120, 30)).toISOString()
                  }
                )
              )
            }
          } while (from !== null)
          const even = seen.filter((uid) => uid % 2 === 0)
          assert.strictEqual(new Set(seen).size, seen.length)
          assert.deepStrictEqual(
            even.toSorted((a, b) => a - b),
            Array.from({ length: number }, (_, at) => at * 2)
          )
        }
      }
    }).pipe(provided)
  )

  it.live("shows what matched, and no secret", () =>
    Effect.gen(function* () {
      yield* loaded
      const highlights = (query: unknown) => Effect.map(search({ query }), ({ body }) => body.items[0].highlights)
      assert.deepStrictEqual(yield* highlights({ type: "email", email: "bob@example.net" }), {
        content: ['…about it\nexport GITHUB_TOKEN="••••••••"\n<mark>bob@example.net</mark>:••••••••\n@saltmarsh did it']
      })
      assert.deepStrictEqual(yield* highlights({ type: "secret", secret: "hunter2" }), {
        password: ["<mark>••••••••</mark>"]
      })
      assert.deepStrictEqual(yield* highlights({ type: "keyword", keyword: "notes" }), {
        title: ["<mark>Notes</mark>"]
      })
      assert.deepStrictEqual(yield* highlights({ type: "query_string", query_string: "jane AND mothlamp" }), {
        "malware_information.malware_family": ["<mark>Mothlamp</mark>"],
        "credentials.username": ["<mark>Jane</mark>.Doe@example.com"]
      })
      const all = yield* search({
        query: { type: "query_string", query_string: "domain:example.com OR type:paste OR export" }
      })
      for (const secret of ["hunter2", "Tr0ub4dor", "s3cret", token])
        assert.notInclude(JSON.stringify(all.body), secret)
    }).pipe(provided)
  )

  it.live("returns the metadata of an item, and no field that is not documented", () =>
    Effect.gen(function* () {
      const { loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        eventForTest(
          1,
          "forum_post",
          { context: { topic_title: "Selling access" }, content: "x" },
          {
            uid: "forum/a b/1@2/é",
            severity: "high",
            estimated_created_at: "2026-01-01T00:00:00.123456+00:00",
            svc_url: "https://exposure.example.com/1"
          }
        )
      )
      const { body, headers } = yield* search({})
      assert.deepStrictEqual(body, {
        items: [
          {
            metadata: {
              estimated_created_at: "2026-01-01T00:00:00.123456+00:00",
              matched_at: "2026-02-01T00:00:00Z",
              type: "forum_content",
              uid: "forum/a b/1@2/é",
              severity: "high",
              svc_url: "https://exposure.example.com/1",
              title: "Selling access"
            },
            tenant_metadata: { severity: { original: "high", override: null }, tags: [], notes: "" },
            highlights: {}
          }
        ],
        next: null
      })
      assert.isNotNull(headers.get("x-global-searches-remaining"))
    }).pipe(provided)
  )

  it.live("retrieves one by its uid", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        eventForTest(1, "paste", { content: "x", syntax: null }, { uid: "paste/a b/1@2/%2F" }),
        eventForTest(2, "leaked_credential", { identity_name: "a@example.com", password: "hunter2" }),
        eventForTest(3, "newly_invented", { anything: [1, { goes: true }] })
      )
      const get = (uid: string) => call(1, "GET", `/v4/events/?uid=${encodeURIComponent(uid)}`)
      const paste = yield* get("paste/a b/1@2/%2F")
      assert.strictEqual(paste.body.event_type, "paste")
      assert.strictEqual(paste.body.metadata.uid, "paste/a b/1@2/%2F")
      assert.strictEqual(paste.body.metadata.matched_at, null)
      assert.strictEqual((yield* get("test/source/2")).body.data.password, "hunter2")
      assert.deepStrictEqual((yield* get("test/source/3")).body.data, { anything: [1, { goes: true }] })
      assert.strictEqual((yield* get("test/source/4")).status, 404)
      assert.strictEqual((yield* call(1, "GET", "/v4/events/")).status, 422)
    }).pipe(provided)
  )

  it.live("replaces an event that has changed, whatever its new time", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const identifier = yield* call(1, "POST", "/v2/assets/", { name: "otter", type: "keyword" })
      const { id } = identifier.body.asset
      const matched = Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, {}), ({ body }) =>
        uids(body.items)
      )
      assert.strictEqual(
        yield* loadEvents(eventForTest(1, "paste", { content: "otter" }), eventForTest(2, "paste", { content: "fox" })),
        2
      )
      assert.strictEqual(yield* loadEvents(eventForTest(1, "paste", { content: "otter" })), 0)
      assert.deepStrictEqual(yield* matched, [1])
      assert.strictEqual(
        yield* loadEvents(
          eventForTest(1, "paste", { content: "hare" }, { estimated_created_at: "2027-01-01T00:00:00Z" }),
          eventForTest(2, "paste", { content: "otter" })
        ),
        2
      )
      assert.deepStrictEqual(yield* matched, [2])
      assert.deepStrictEqual(yield* found({}), [1, 2])
      assert.deepStrictEqual(yield* found({ query: { type: "keyword", keyword: "hare" } }), [1])
      assert.deepStrictEqual(yield* found({ query: { type: "keyword", keyword: "fox" } }), [])
    }).pipe(provided)
  )
})

describe("Events in SQLite", () => {
  it.live("stores no secret in the database in clear", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      yield* loaded
      yield* call(1, "POST", "/v2/assets/", { name: "opensesame-9", type: "secret" })
      yield* search({ query: { type: "secret", secret: "asked-for-this-7" } })
      // The index omits the prefix that a term shares with the one before it; its vocabulary contains whole terms.
      database.connection.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, event_index, row)")
      const stored = JSON.stringify(
        [
          "uid, document FROM events",
          "term FROM temp.vocabulary",
          "block FROM event_index_data",
          "asset FROM identifiers"
        ].map((columns) =>
          database.connection
            .prepare(`SELECT ${columns}`)
            .all()
            .map((row) =>
              Object.values(row).map((value) =>
                value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)
              )
            )
        )
      ).toLowerCase()
      assert.include(stored, "mothlamp")
      for (const secret of ["hunter2", "tr0ub4dor", "s3cret", "opensesame", "asked-for", token.slice(4, 20)]) {
        assert.notInclude(stored, secret.toLowerCase())
      }
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

// These answers do not depend on the store.
describeOnSqlite("searches of events", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))

  it.live("reports the position of a fault in a query string", () =>
    Effect.gen(function* () {
      const { body, status } = yield* search({ query: { type: "query_string", query_string: "good (bad" } })
      assert.strictEqual(status, 422)
      assert.deepInclude(body.detail[0], { loc: ["body", "query", "query_string"], ctx: { position: 5 } })
    }).pipe(provided)
  )

  it.live("reports a fault in a query string together with all other faults", () =>
    Effect.gen(function* () {
      const faultsOf = (body: unknown) =>
        Effect.map(search(body), ({ body, status }) => [
          status,
          ...body.detail.map(({ loc }: { readonly loc: ReadonlyArray<string> }) => loc.join("."))
        ])
      const query = { type: "query_string", query_string: "a AND (" }
      assert.deepEqual(yield* faultsOf({ query, size: 11 }), [422, "body.size", "body.query.query_string"])
      assert.deepEqual(yield* faultsOf({ query, from: "x" }), [422, "body.query.query_string", "body.from"])
      for (const [type, field] of [
        ["keyword", "keyword"],
        ["brand", "name"],
        ["name", "last_name"]
      ] as const) {
        const text = (length: number) => ({ type, first_name: "a", [field]: "a".repeat(length) })
        assert.deepEqual(yield* faultsOf({ query: text(257) }), [422, `body.query.${field}`])
        assert.strictEqual((yield* search({ query: text(256) })).status, 200)
      }
      const severity = { type: "query_string", query_string: "severity:urgent" }
      assert.deepEqual(yield* faultsOf({ query: severity }), [422, "body.query.query_string"])
    }).pipe(provided)
  )

  it.live("costs a unit for every hundred events of a search, and says when the next one comes", () =>
    Effect.gen(function* () {
      const service = yield* ServiceForTest
      yield* service.loadEvents(
        ...Array.from({ length: 110 }, (_, number) => eventForTest(number, "paste", { content: "osprey" }))
      )
      const query = { type: "keyword", keyword: "osprey" }
      const costs: Array<string> = []
      let from: string | null = null
      do {
        const { body, headers }: Answer = yield* search({ query, from })
        costs.push(`${headers.get("x-global-searches-remaining")} ${headers.get("x-global-searches-batch-reached")}`)
        from = body.next
      } while (from !== null)
      assert.deepEqual(costs, [...Array(9).fill("999999 false"), "999999 true", "999998 false"])
      const again = yield* search({ query, filters: { severity: "low" } })
      assert.strictEqual(again.headers.get("x-global-searches-remaining"), "999998")
    }).pipe(provided)
  )

  it.live("accepts a cursor only for the same search", () =>
    Effect.gen(function* () {
      yield* loaded
      const query = { type: "domain", fqdn: "example.com" }
      const { body } = yield* search({ query, size: 2 })
      assert.isString(body.next)
      assert.deepStrictEqual(yield* found({ query, size: 3, from: body.next }), [4, 3, 2])
      const refused = [
        { query: { type: "domain", fqdn: "example.org" }, from: body.next },
        { query, from: body.next, order: "asc" },
        { query, from: body.next, filters: { severity: "low" } },
        { query, from: `${body.next}A` },
        { query, from: "" },
        { from: body.next }
      ]
      for (const other of refused) {
        const answer = yield* search({ size: 2, ...other })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(answer.body.detail[0].loc, ["body", "from"])
      }
      assert.strictEqual((yield* search({ query, size: 2, from: body.next }, 2)).status, 422)
    }).pipe(provided)
  )
})

/**
 * Rows that somebody without the key file planted or changed are reported, and left out or refused, whichever column is
 * concerned.
 */
import { copyFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { IntelStore } from "@threat-exposure/service/intel/Intel"
import { loadSample } from "@threat-exposure/service/sample/SampleLoad"
import { type DatabaseFiles, Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Cause, Effect, Exit, Layer } from "effect"
import { DatabaseSync } from "node:sqlite"
import { filesForTest } from "../DatabaseForTest.ts"
import { answerForTest, eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const policy = "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"
const over = (files: DatabaseFiles) => ServiceForTest.layerNoDeps.pipe(Layer.provideMerge(sqliteSameThread(files)))

/** Adds a row to every table of a tenant. Returns the requests that read and change them. */
const fill = Effect.fnUntraced(function* (files: DatabaseFiles) {
  const requests = yield* Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    yield* loadSample()
    const question = { question: "Who sells it?", tone: "technical" }
    const asked = (yield* call(1, "POST", "/v4/threat_flow/intel/requests", question)).body.request_id
    yield* (yield* IntelStore).answer(asked, answerForTest, "2026-01-01T00:00:00Z")
    const listed = (yield* call(1, "GET", "/v2/me/feed/credentials?size=100")).body.items
    const { credential_hash } = listed.find((item: typeof listed) => item.credential_hash !== null)
    const hashes = { targets: [{ credential_hash }], action: { type: "ignore" } }
    yield* call(1, "POST", "/v4/credentials/actions", hashes)
    const uid = (yield* call(1, "POST", "/v4/events/tenant/_search", { size: 1 })).body.items[0].metadata.uid
    const ofEvent = `uid=${encodeURIComponent(uid)}`
    yield* call(1, "PATCH", `/v4/events/tenant/metadata?${ofEvent}`, { tags: ["seen"], notes: "n", severity: "low" })
    yield* call(1, "POST", "/v2/tenants/1/users", { users: [{ user_id: 5, role: "viewer" }] })
    yield* call(1, "POST", "/v4/credentials/global/_search", { query: { type: "domain", fqdn: "example.com" } })
    const criteria = { categories: [], emerging_categories: [], severities: [] }
    const arrived = { materialized_at: { gte: "2020-01-01T00:00:00Z" } }
    return [
      ["POST", "/v4/credentials/global/_search", { query: { type: "domain", fqdn: "example.com" }, include: ["urls"] }],
      ["POST", "/v4/credentials/global/_search", { query: { type: "domain", fqdn: "example.com" }, size: 5_000 }],
      ["GET", "/v2/me/feed/credentials?size=100"],
      ["POST", "/v4/credentials/actions", hashes],
      ["POST", "/v4/events/global/_search", { query: { type: "query_string", query_string: "example" } }],
      ["GET", `/v4/events/?${ofEvent}`],
      ["POST", "/v4/events/identifiers/1/_search", { size: 10 }],
      ["POST", "/v4/events/tenant/_search", { size: 10, filters: { tags: ["seen"] } }],
      ["POST", "/v4/events/tenant/_search", { size: 10, filters: arrived }],
      ["POST", "/v4/events/identifier_groups/1/_search", { size: 10 }],
      ["POST", "/v4/events/actions", { targets: [{ uid }], action: { type: "ignore" } }],
      ["PATCH", `/v4/events/tenant/metadata?${ofEvent}`, { notes: "m" }],
      ["GET", "/v4/identifiers/"],
      ["GET", "/v4/identifiers/?order_by=name"],
      ["GET", "/v4/identifiers/1"],
      ["PUT", "/v4/identifiers/1", { ...criteria, name: "x", data: { type: "domain", fqdn: "example.com" } }],
      ["POST", "/v4/identifiers/", { ...criteria, name: "y", data: { type: "keyword", keyword: "acme" } }],
      ["GET", "/v2/assets/groups/"],
      ["PUT", "/v2/assets/groups/1", { name: "z" }],
      ["POST", "/v2/assets/groups/", { name: "zz" }],
      ["GET", "/v4/identifier-recommendations/"],
      ["POST", "/v4/identifier-recommendations/actions", { targets: [{ id: 1 }], action: { type: "accept" } }],
      ["GET", "/v4/matching-policies"],
      ["PUT", `/v4/matching-policies/${policy}`, { name: "p", value: { keywords: ["card"] } }],
      ["GET", `/v4/matching-policies/${policy}/assignments`],
      ["POST", `/v4/matching-policies/${policy}/assignments`, { identifier_ids: [1], clean_past_events: true }],
      ["GET", "/v4/matching-policies/by_identifier_id/1"],
      ["GET", "/v4/reports"],
      ["POST", "/v2/reporting/reports", { title: "Another" }],
      ["GET", "/v4/reports/1/download?format=csv"],
      ["GET", "/v2/tenants/1/users"],
      ["GET", `/v4/threat_flow/reports/requests/${asked}`]
    ] as const
  }).pipe(Effect.provide(over(files)))
  using database = new DatabaseSync(files.file)
  database.exec(`
    INSERT INTO policy_cleanings (policy_uuid, identifier_ids, cleaned_to) VALUES ('${policy}', '[1]', -1);
    INSERT INTO identifier_creations (identifier_id, matched_at, matched_to) VALUES (2, '2026-01-01T00:00:00Z', -1);
    PRAGMA wal_checkpoint(TRUNCATE);
    PRAGMA journal_mode = DELETE`)
  const cells = database
    .prepare(
      `SELECT t.name AS "table", c.type, group_concat(c.name || ' = :value') AS changes, coalesce(
         (SELECT group_concat(k.name) FROM pragma_table_info(t.name) k WHERE k.pk > 0), 'rowid') AS key
       FROM sqlite_schema t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'event_index%'
         AND t.name NOT LIKE 'credential_terms%' AND t.name <> 'rekeying'
         AND (c.pk = 0 OR (SELECT count(*) FROM pragma_table_info(t.name) k WHERE k.pk > 0) = 1)
       GROUP BY t.name, c.type`
    )
    .all()
    .map((row) => ({
      table: String(row["table"]),
      type: String(row["type"]),
      changes: String(row["changes"]),
      key: String(row["key"])
    }))
  return { requests, cells }
})

const hostile = new Map<string, bigint | string | Uint8Array>([
  ["INTEGER", 2n ** 60n],
  ["TEXT", "{"],
  ["BLOB", new Uint8Array(60)]
])

describe("a row that somebody without the key file changed", () => {
  it.live("is not shown to a tenant that it was moved to", () =>
    Effect.gen(function* () {
      const files = yield* filesForTest
      const paths = yield* Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        const data = { type: "keyword", keyword: "acme" }
        const identifier = { data, categories: [], emerging_categories: [], severities: [] }
        const { id } = (yield* call(1, "POST", "/v4/identifiers/", identifier)).body
        const asked = (yield* call(1, "POST", "/v4/threat_flow/intel/requests", { question: "Who?" })).body.request_id
        yield* (yield* IntelStore).answer(asked, answerForTest, "2026-01-01T00:00:00Z")
        const paths = [`/v4/identifiers/${id}`, `/v4/threat_flow/reports/requests/${asked}`]
        for (const path of paths) assert.strictEqual((yield* call(1, "GET", path)).status, 200, path)
        return paths
      }).pipe(Effect.provide(over(files)))
      {
        using database = new DatabaseSync(files.file)
        for (const table of ["identifiers", "intel_requests", "intel_answers"]) {
          database.exec(`UPDATE ${table} SET tenant_id = 2`)
        }
      }
      yield* Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        for (const path of paths) assert.strictEqual((yield* call(2, "GET", path)).status, 503, path)
        for (const query of ["", "?order_by=name"]) {
          assert.deepStrictEqual((yield* call(2, "GET", `/v4/identifiers/${query}`)).body.items, [])
        }
      }).pipe(Effect.provide(over(files)))
    }).pipe(Effect.scoped)
  )

  it.live(
    "is named, and left out or refused",
    () =>
      Effect.gen(function* () {
        const files = yield* filesForTest
        const { cells, requests } = yield* fill(files)
        const copy = databaseFiles(`${files.file}.copy`)
        let found = 0
        for (const { changes, key, table, type } of cells) {
          const what = `${type} of ${table}`
          copyFileSync(files.file, copy.file)
          copyFileSync(files.keyFile, copy.keyFile)
          {
            using database = new DatabaseSync(copy.file)
            database.exec("PRAGMA foreign_keys = OFF")
            const change = `UPDATE ${table} SET ${changes} WHERE (${key}) = (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1)`
            assert.strictEqual(database.prepare(change).run({ value: hostile.get(type) ?? null }).changes, 1, what)
          }
          const answered = yield* Effect.exit(
            Effect.gen(function* () {
              const { call, loadEvents } = yield* ServiceForTest
              let isRefused = false
              for (const [method, path, body] of requests) {
                const { status } = yield* call(1, method, path, body)
                assert.notStrictEqual(status, 500, `${what}: ${method} ${path}`)
                isRefused ||= status === 503
              }
              const loaded = yield* Effect.exit(loadEvents(eventForTest(1, "paste", { title: "an example" })))
              const { names } = (yield* Database).foreign
              if (isRefused || Exit.isFailure(loaded)) assert.isNotEmpty(names, what)
              return names
            }).pipe(Effect.provide(over(copy)))
          )
          if (Exit.isSuccess(answered)) found += answered.value.length
          else {
            const failure = Cause.squash(answered.cause)
            assert.match(failure instanceof Error ? failure.message : "", /(?:cannot be used|unavailable): /u, what)
          }
        }
        assert.isAbove(found, 20)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live("does not shorten a listing, whose other rows follow", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { connection, foreign } = yield* Database
      const criteria = { categories: [], emerging_categories: [], severities: [] }
      for (const keyword of ["one", "two", "three", "four"]) {
        yield* call(1, "POST", "/v4/identifiers/", { ...criteria, data: { type: "keyword", keyword } })
        yield* call(1, "POST", "/v2/reporting/reports", { title: keyword })
      }
      yield* loadEvents(...[1, 2, 3, 4].map((number) => eventForTest(number, "paste", { title: "four" })))
      connection.run("UPDATE identifiers SET asset = zeroblob(60) WHERE id IN (1, 2)")
      connection.run("UPDATE reports SET report = '{' WHERE id IN (1, 2)")
      connection.run(
        "UPDATE events SET document = zeroblob(60) WHERE created_at > (SELECT min(created_at) FROM events)"
      )
      const idsOf = Effect.fnUntraced(function* (path: string) {
        const first = (yield* call(1, "GET", `${path}?size=1`)).body
        const second = (yield* call(1, "GET", `${path}?size=1&from=${first.next}`)).body
        assert.isNull(second.next)
        return [...first.items, ...second.items].map(({ id }: { readonly id: number }) => id)
      })
      assert.deepStrictEqual(yield* idsOf("/v4/identifiers/"), [3, 4])
      assert.sameMembers(yield* idsOf("/v4/reports"), [3, 4])
      const events = (yield* call(1, "POST", "/v4/events/tenant/_search", { size: 1 })).body
      assert.deepStrictEqual(
        events.items.map((event: typeof events) => event.metadata.uid),
        ["test/source/1"]
      )
      assert.sameMembers(
        [...foreign.names],
        [
          "1 in identifiers",
          "2 in identifiers",
          "1 in reports",
          "2 in reports",
          "test/source/2 in events",
          "test/source/3 in events",
          "test/source/4 in events"
        ]
      )
      assert.strictEqual((yield* call(1, "GET", "/v4/reports/1")).status, 503)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )

  it.live("lets a page of credentials be JSON", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { connection, foreign } = yield* Database
      yield* loadSample()
      const ids = connection
        .tuples("SELECT version >> 1 FROM credentials ORDER BY version LIMIT 5")
        .map(([id]) => Number(id))
      const [wrong, empty, withList, withHosts, withHash] = ids
      connection.run('UPDATE credentials SET document = \'"id":1},{"id":2\' WHERE version >> 1 = ?', wrong ?? 0)
      connection.run("UPDATE credentials SET document = '' WHERE version >> 1 = ?", empty ?? 0)
      connection.run("UPDATE credentials SET urls = '[' WHERE version >> 1 = ?", withList ?? 0)
      connection.run("UPDATE credentials SET auth_domains = '\"' WHERE version >> 1 = ?", withHosts ?? 0)
      connection.run("UPDATE credentials SET sealed_hash = zeroblob(60) WHERE version >> 1 = ?", withHash ?? 0)
      const query = { type: "domain", fqdn: "example.com" }
      for (const size of [50, 5_000]) {
        const include = ["auth_domains", "urls"]
        const page = (yield* call(1, "POST", "/v4/credentials/global/_search", { query, size, include })).body
        const shown: ReadonlyArray<number> = page.items.map(({ id }: { readonly id: number }) => id)
        assert.isNotEmpty(shown)
        assert.isEmpty(ids.filter((id) => shown.includes(id)))
      }
      assert.isNotEmpty(foreign.names)
      assert.isEmpty(foreign.names.filter((name) => !ids.some((id) => name === `${id} in credentials`)))
    }).pipe(Effect.provide(ServiceForTest.layer))
  )

  const last = "(SELECT max(arrival) FROM arrival_times)"
  for (const [what, sql, name] of [
    [
      "time that is too late",
      `UPDATE arrival_times SET materialized_at = 1 << 60 WHERE arrival = ${last}`,
      (arrival: number) => `${arrival} in arrival_times`
    ],
    [
      "time without one after it",
      `UPDATE arrival_times SET materialized_at = ${2n ** 63n - 1n} WHERE arrival = ${last}`,
      (arrival: number) => `${arrival} in arrival_times`
    ],
    [
      "time of the next arrival",
      `INSERT INTO arrival_times SELECT ${last} + 1, 1`,
      (arrival: number) => `${arrival + 1} in arrival_times`
    ],
    [
      "time of a later generation",
      `INSERT INTO arrival_times SELECT ${last} + (1 << 30), 1`,
      (arrival: number) => `${arrival + 2 ** 30} in arrival_times`
    ],
    [
      "number without one after it",
      `UPDATE arrivals SET count = ${2n ** 63n - 1n}`,
      (arrival: number) => `${Math.floor(arrival / 2 ** 30)} in arrivals`
    ]
  ] as const) {
    it.live(`stops the work that would follow it by its name: a ${what}`, () =>
      Effect.gen(function* () {
        const { call, loadEvents } = yield* ServiceForTest
        const { connection, foreign } = yield* Database
        const content = {
          categories: [],
          emerging_categories: [],
          severities: [],
          data: { type: "keyword", keyword: "four" }
        }
        const create = Effect.map(call(1, "POST", "/v4/identifiers/", content), ({ status }) => status)
        assert.strictEqual(yield* create, 200)
        yield* loadEvents(eventForTest(1, "paste", { title: "four" }))
        const [[arrival] = []] = connection.tuples(`SELECT ${last}`)
        connection.run(sql)
        assert.strictEqual(yield* create, 503)
        const loaded = yield* Effect.exit(loadEvents(eventForTest(2, "paste", { title: "four" })))
        if (Exit.isFailure(loaded)) assert.include(String(Cause.squash(loaded.cause)), name(Number(arrival)))
        assert.deepStrictEqual(foreign.names, [name(Number(arrival))])
      }).pipe(Effect.provide(ServiceForTest.layer))
    )
  }
})

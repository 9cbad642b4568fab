/** How SQLite reads the pages that clients request often: the cost must not grow with the data of the tenant. */
import { assert, it } from "@effect/vitest"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import type { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import { eventForTest, loadForTest, ServiceForTest } from "../ServiceForTest.ts"

/** Tables that have few rows, however much data is stored. */
const small = [
  "vault",
  "generations",
  "credential_term_runs",
  "matching_revision",
  "json_each",
  "CONSTANT ROW",
  "wanted"
]

/** Whether the step reads a range with two ends: the events of a second, or a step of a long search. */
const isBounded = (step: string) => />\?.*<\?/u.test(step)

it.live("a page of a tenant is read from an index in its order", () =>
  Effect.gen(function* () {
    const { call, loadEvents } = yield* ServiceForTest
    const { connection } = yield* Database
    const { credentials } = yield* LoadTargets
    for (const [method, path, body] of [
      ["POST", "/v2/assets/groups/", { name: "Shop" }],
      ["POST", "/v2/assets/", { type: "domain", name: "example.com" }],
      ["POST", "/v2/assets/", { type: "username", name: "jane" }]
    ] as const) {
      assert.isBelow((yield* call(1, method, path, body)).status, 300)
    }
    const content = { categories: [], emerging_categories: [], severities: [], group_id: 1 }
    yield* call(1, "POST", "/v4/identifiers/", { data: { type: "keyword", keyword: "dump" }, ...content })
    yield* loadEvents(
      ...Array.from({ length: 30 }, (_, number) => eventForTest(number, "paste", { content: "a dump of example.com" }))
    )
    yield* loadForTest(
      credentials,
      Array.from({ length: 30 }, (_, id) => ({
        id,
        identity_name: `u${id}@example.com`,
        imported_at: `2026-01-01T00:00:${String(id).padStart(2, "0")}Z`,
        hash: null,
        credential_hash: `hash-${id}`
      }))
    )

    const statements = recordStatements(connection)
    const page = Effect.fnUntraced(function* (path: string, body?: object) {
      let from: string | null = null
      for (let page = 0; page < 2; page += 1) {
        const next: { readonly status: number; readonly body: any } = yield* body === undefined
          ? call(1, "GET", from === null ? path : `${path}&from=${encodeURIComponent(from)}`)
          : call(1, "POST", path, { ...body, from })
        assert.strictEqual(next.status, 200, JSON.stringify(next.body))
        from = next.body.next
      }
    })
    const filters = { severity: ["medium"], type: ["paste"], estimated_created_at: { gte: "2026-01-01T00:00:00Z" } }
    for (const path of ["tenant", "identifier_groups/1", "identifiers/1"]) {
      for (const order of ["asc", "desc"]) {
        yield* page(`/v4/events/${path}/_search`, { order, size: 5 })
        yield* page(`/v4/events/${path}/_search`, { order, size: 5, filters })
      }
    }
    yield* page("/v4/events/tenant/_search", { size: 5, filters: { materialized_at: { gt: "2026-01-01T00:00:00Z" } } })
    for (const order of ["asc", "desc"]) yield* page(`/v2/me/feed/credentials?size=5&order_type=${order}`)
    yield* page("/v4/identifiers/?size=1")
    const action = { type: "ignore" }
    for (const [kind, target] of [
      ["credentials", { credential_hash: "hash-1" }],
      ["events", { uid: "test/source/1" }]
    ]) {
      assert.strictEqual((yield* call(1, "POST", `/v4/${kind}/actions`, { targets: [target], action })).status, 200)
    }

    assert.isAbove(statements.size, 20)
    for (const sql of statements) {
      if (!/^\s*(?:SELECT|WITH)/u.test(sql)) continue
      const plan = planOf(connection, sql)
      const shown = `${sql}\n${plan.join("\n")}`
      // This index contains the matches of every tenant.
      assert.notInclude(shown, "identifiers_of_event")
      for (const step of plan) {
        const [, scanned] = /^SCAN (\S+(?: ROW)?)/u.exec(step) ?? []
        // Subqueries have a limit.
        if (scanned?.startsWith("(subquery-") === true) assert.include(sql, "LIMIT ? + 0)", shown)
        else if (scanned !== undefined) assert.include(small, scanned, shown)
      }
      if (plan.some((step) => step.includes("TEMP B-TREE"))) assert.isTrue(isBounded(plan[0] ?? ""), shown)
    }
  }).pipe(Effect.provide(ServiceForTest.layer))
)

it.live("changes made while a load replaces events read only the matches of these events", () =>
  Effect.gen(function* () {
    const { call, loadEvents } = yield* ServiceForTest
    const { connection } = yield* Database
    const { events } = yield* LoadTargets
    const versionOf = (content: string) =>
      Array.from({ length: 30 }, (_, number) => eventForTest(number, "paste", { content }))
    const keyword = (keyword: string) => ({
      data: { type: "keyword", keyword },
      categories: [],
      emerging_categories: [],
      severities: []
    })
    const policy = { name: "", type: "EXCLUDED_KEYWORDS", value: { keywords: ["harbour"] } }
    yield* call(1, "POST", "/v4/identifiers/", keyword("dump"))
    yield* loadEvents(...versionOf("a dump"))
    const target = yield* events({ keep: false, strict: false, now: "2026-03-01T00:00:00Z" })
    const text = Buffer.from(
      versionOf("a dump, again")
        .map((event) => JSON.stringify(event))
        .join("\n")
    )
    const prepared = yield* Effect.promise(() => target.prepare({ text, format: { type: "lines" }, firstNumber: 1 }))
    const publisher = yield* target.publisher
    const statements = recordStatements(connection)
    yield* publisher.write(prepared)
    yield* publisher.flush
    const { id } = (yield* call(1, "POST", "/v4/identifiers/", keyword("a dump"))).body
    yield* call(1, "PUT", `/v4/identifiers/${id}`, keyword("again"))
    const { uuid } = (yield* call(1, "POST", "/v4/matching-policies", policy)).body
    const assigned = { identifier_ids: [id], clean_past_events: true }
    yield* call(1, "POST", `/v4/matching-policies/${uuid}/assignments`, assigned)
    yield* call(1, "DELETE", `/v4/identifiers/${id}`)
    yield* Effect.flatten(publisher.publish)

    const plans = [...statements].map((sql) => ({ sql, plan: planOf(connection, sql) }))
    assert.isTrue(plans.some(({ sql }) => sql.includes("UPDATE identifier_events")))
    for (const { plan, sql } of plans) {
      for (const step of plan) {
        // All matches of a tenant, or of every tenant.
        const isWide =
          /^SCAN (?:events|identifier_events)\b|^SEARCH (?:\w+) USING.* (?:arrivals|events)_of_tenant \(tenant_id=\?\)/u
        assert.notMatch(step, isWide, `${sql}\n${plan.join("\n")}`)
      }
    }
  }).pipe(Effect.scoped, Effect.provide(ServiceForTest.layer))
)

/** The statements that the connection runs from now on. */
const recordStatements = (connection: Connection): ReadonlySet<string> => {
  const statements = new Set<string>()
  const { prepare, prepareWrite, tuples } = connection
  connection.prepare = (sql) => prepare.call(connection, noted(sql))
  connection.prepareWrite = (sql) => prepareWrite.call(connection, noted(sql))
  connection.tuples = (sql, ...parameters) => tuples.call(connection, noted(sql), ...parameters)
  const noted = (sql: string) => {
    if (!sql.startsWith("EXPLAIN")) statements.add(sql)
    return sql
  }
  return statements
}

const planOf = (connection: Connection, sql: string): ReadonlyArray<string> =>
  connection.tuples(`EXPLAIN QUERY PLAN ${sql}`).map(([, , , step]) => String(step))

/** Runs the whole service with the sample data on both engines, and compares their answers. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { newToken, permissionWords } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { Log } from "@threat-exposure/service/observability/Log"
import { RequestLog } from "@threat-exposure/service/observability/RequestLog"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { loadSample } from "@threat-exposure/service/sample/SampleLoad"
import { Services } from "@threat-exposure/service/Services"
import { unhurried, unhurriedCluster } from "@threat-exposure/service/testing/Engines"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Context, DateTime, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { asking, loadForTest } from "./ServiceForTest.ts"

const node = await openSearchNode()

class Engine extends Context.Service<
  Engine,
  {
    readonly token: string
    /** Returns the status and text of the answer. */
    call(
      method: string,
      path: string,
      body?: unknown,
      token?: string
    ): Effect.Effect<{ readonly status: number; readonly text: string }>
    readonly keys: KeyStore["Service"]
    load(events: ReadonlyArray<unknown>): Effect.Effect<unknown>
  }
>()("test/Engine") {
  static readonly layer = Layer.effect(
    Engine,
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { events } = yield* LoadTargets
      const ask = yield* asking
      const token = newToken()
      yield* keys.create({
        token,
        tenantId: 1,
        permissions: Object.values(permissionWords),
        createdAt: "2026-01-01T00:00:00Z"
      })
      yield* loadSample()
      return Engine.of({
        token,
        keys,
        load: (records) => loadForTest(events, records),
        call: (method, path, body, given = token) => ask(method, path, given, body)
      })
    })
  ).pipe(Layer.provide(RequestLog.layer), Layer.provide(Services), Layer.provide(Log.layerSilent))
}

/** Builds a layer whose resources live until the scope closes. */
const buildEngine = <E>(layer: Layer.Layer<Engine, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Engine))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Replaces what differs between two runs: random ids, and times of the run itself. */
const comparable = (text: string) =>
  text
    .replaceAll(/"(?:asset_uuid|request_id)":"[^"]*"/gu, '"uuid"')
    .replaceAll(
      /"(?:data_updated_at|matched_at|materialized_at|ignored_at|remediated_at|assigned_at|created_at|last_updated_at)":"[^"]*"/gu,
      '"time"'
    )
    .replaceAll(/"next":"[^"]*"/gu, '"next":"cursor"')

const nextOf = (text: string): string | null => /"next":"([^"]+)"/u.exec(text)?.[1] ?? null

const decodeGroups = (text: string): ReadonlyArray<{ readonly id: number }> => JSON.parse(text).assets_groups

/** Requests all pages of a listing from both engines, and compares the texts of their answers. Returns the last one. */
const comparePages = (one: Engine["Service"], other: Engine["Service"]) =>
  Effect.fnUntraced(function* (method: string, path: string, body?: unknown, pages = 3) {
    const cursors: Array<string | null> = [null, null]
    let last = ""
    for (let page = 0; page < pages; page += 1) {
      const [expected, answer] = yield* Effect.forEach([one, other], ({ call }, engine) => {
        const from = cursors[engine] ?? null
        return from === null
          ? call(method, path, body)
          : typeof body === "object"
            ? call(method, path, { ...body, from })
            : call(method, `${path}&from=${from}`)
      })
      const what = `${method} ${path} ${JSON.stringify(body)}, page ${page}`
      assert.strictEqual(comparable(answer?.text ?? ""), comparable(expected?.text ?? ""), what)
      assert.strictEqual(answer?.status, expected?.status, what)
      last = expected?.text ?? ""
      cursors[0] = nextOf(last)
      cursors[1] = nextOf(answer?.text ?? "")
      // A cursor contains the sort key and is signed with the key of the data, so both engines have the same.
      // Assignments are sorted by times of the run.
      if (path.endsWith("_search")) assert.strictEqual(cursors[1], cursors[0])
      if (cursors[0] === null) break
    }
    return last
  })

type Comparison = ReturnType<typeof comparePages>

/** Variations of the sample's events, some with equal times, and with uids that sort differently by code point. */
const generatedEvents = (count: number, now: DateTime.Utc) => {
  const templates = sampleOf(now).events
  return Array.from({ length: count }, (_, at) => {
    const { data, event_type, metadata } = templates[at % templates.length] ?? assert.fail()
    return {
      event_type,
      metadata: {
        ...metadata,
        uid: `generated/${["a", "\uff5e", "\u{1f600}", "Z"][at % 4]}/${at}`,
        severity: ["info", "low", "medium", "high", "critical"][at % 5],
        estimated_created_at: new Date(
          Date.UTC(2026, 0, 1) + ((at * 7_919) % Math.ceil(count / 3)) * 60_000
        ).toISOString()
      },
      data: JSON.parse(JSON.stringify(data).replaceAll("example.com", `d${at % 7}.example.com`))
    }
  })
}

const compareSample = Effect.fnUntraced(function* (one: Engine["Service"], both: Comparison) {
  const sample = sampleOf(yield* DateTime.now)
  const events = "/svc/v4/events/global/_search"
  for (const query of [
    undefined,
    { type: "domain", fqdn: "example.com" },
    { type: "email", email: "greta.holloway@example.com" },
    { type: "keyword", keyword: "example" },
    { type: "brand", name: "Example Corporation" },
    { type: "username", username: "saltmarsh" },
    { type: "name", first_name: "Tamar", last_name: "Nightingale", is_strict: true },
    { type: "query_string", query_string: "vpn OR citr*" },
    { type: "query_string", query_string: '"initial acc*" OR (shop AND NOT type:paste)' },
    { type: "query_string", query_string: "title:access -content:vpn" },
    { type: "query_string", query_string: "terms:x" },
    { type: "query_string", query_string: "(((" }
  ]) {
    for (const order of ["desc", "asc"] as const) {
      yield* both("POST", events, { ...(query === undefined ? {} : { query }), order, size: 7 })
    }
    yield* both("POST", events, {
      ...(query === undefined ? {} : { query }),
      filters: { severity: ["high", "critical"], estimated_created_at: { gte: "2020-01-01T00:00:00Z" } }
    })
  }
  const identifiers = sample.tenant.identifiers.length + sample.tenant.monitored.length
  for (let id = 1; id <= identifiers + 1; id += 1) {
    const path = `/svc/v4/events/identifiers/${id}/_search`
    yield* both("POST", path, { size: 10 })
    yield* both("POST", path, { size: 3, order: "asc", filters: { tags: ["triage"] } })
    for (const status of ["open", "ignored", "remediated"]) {
      yield* both("POST", path, { size: 50, filters: { status: [status] } })
    }
    yield* both("GET", `/svc/v4/matching-policies/by_identifier_id/${id}`)
  }
  const ofTenant = "/svc/v4/events/tenant/_search"
  for (const order of ["desc", "asc"]) {
    yield* both("POST", ofTenant, { size: 10, order }, 30)
    yield* both("POST", ofTenant, { order, query: { type: "keyword", keyword: "example" } })
    yield* both("POST", ofTenant, { order, filters: { status: ["ignored", "remediated"] } })
    yield* both("POST", ofTenant, { order, filters: { severity: "high", type: ["leaked_credential", "paste"] } })
  }
  yield* both("POST", ofTenant, { filters: { materialized_at: { gt: "2100-01-01" } } })
  const groups = "/svc/v2/assets/groups/"
  yield* both("GET", groups)
  for (const { id } of decodeGroups((yield* one.call("GET", groups)).text)) {
    const ofGroup = `/svc/v4/events/identifier_groups/${id}/_search`
    yield* both("POST", ofGroup, { size: 3 }, 30)
    yield* both("POST", ofGroup, { order: "asc", filters: { status: ["open", "ignored", "remediated"] } })
    yield* both("POST", ofGroup, { query: { type: "keyword", keyword: "example" } })
  }
  yield* both("POST", "/svc/v4/events/identifier_groups/99/_search", {})
  for (const { event_type, metadata } of sample.events) {
    if (event_type !== "stealer_log") continue
    const uid = encodeURIComponent(metadata.uid)
    yield* both("GET", `/svc/v4/events/_expand?field=credentials&size=2&uid=${uid}`)
  }
  for (const { metadata } of sample.events.slice(0, 20)) {
    yield* both("GET", `/svc/v4/events/?uid=${encodeURIComponent(metadata.uid)}`)
  }
  yield* both("GET", "/svc/v4/events/?uid=absent")
  yield* both("POST", "/svc/v4/credentials/global/_search", {
    query: { type: "domain", fqdn: "example.com" },
    size: 20,
    include: ["urls"]
  })
  const feed = "/svc/v2/me/feed/credentials"
  yield* both("GET", `${feed}?size=7`, undefined, 200)
  const hashes = sample.credentials.flatMap(({ credential_hash: hash }) => (hash == null ? [] : [hash]))
  const act = (type: string, ...targets: ReadonlyArray<string>) =>
    both("POST", "/svc/v4/credentials/actions", {
      targets: targets.map((credential_hash) => ({ credential_hash })),
      action: { type }
    })
  yield* act("ignore", ...hashes.slice(0, 100))
  yield* act("remediate", ...hashes.slice(0, 20))
  yield* act("ignore", ...hashes.slice(20, 30), "unknown")
  yield* both("GET", `${feed}?size=100&order_type=asc`)
  yield* both("GET", "/svc/v4/identifier-recommendations/?size=4")
  yield* both("GET", "/svc/v4/identifier-recommendations/?status=accepted&types=domain")
  const policy = `/svc/v4/matching-policies/${sample.tenant.policies[0].uuid}`
  yield* both("GET", `${policy}/assignments?size=1`)
  yield* both("POST", "/svc/v2/assets/", { name: "vpn", type: "keyword", data: {} })
  yield* both("POST", "/svc/v2/assets/", { name: "x", type: "search_query", data: { query_string: "(((" } })
  yield* both("POST", "/svc/v2/assets/groups/", { name: "A group" })
  yield* both("POST", "/svc/v2/assets/groups/", { name: "Again", id: 1 })
  const assigned = { identifier_ids: [1, 2, identifiers + 1], clean_past_events: true }
  yield* both("POST", `${policy}/assignments`, assigned)
  yield* both("GET", `${policy}/assignments?size=2`)
  yield* both("POST", `/svc/v4/events/identifiers/${identifiers + 1}/_search`, { size: 50 })
  yield* both("POST", `${policy}/assignments`, { identifier_ids: [99_999] })
  yield* both("DELETE", policy)
  yield* both("DELETE", policy)
  yield* both("GET", "/svc/v4/matching-policies/by_identifier_id/1")
  yield* both("POST", "/svc/v2/tenants/1/users", { users: [{ user_id: 7, role: "admin" }] })
  yield* both("POST", "/svc/v2/tenants/2/users", { users: [{ user_id: 7 }] })
  yield* both("POST", "/svc/v4/threat_flow/intel/requests", { question: "Who sells access?" })
  yield* both("POST", "/svc/v2/reporting/reports", {})
  yield* both("GET", "/tokens/test")
  yield* both("GET", "/healthz")
})

const identifierIn = (text: string): number => JSON.parse(text).asset.id

const compareGeneratedEvents = Effect.fnUntraced(function* (
  engines: ReadonlyArray<Engine["Service"]>,
  both: Comparison
) {
  const identifier = { name: "d1.example.com", type: "domain" }
  const created = [identifierIn(yield* both("POST", "/svc/v2/assets/", identifier))]
  const count = Number(process.env["GENERATED_EVENTS"] ?? 250)
  const events = generatedEvents(count, yield* DateTime.now)
  for (const { load } of engines) {
    for (let at = 0; at < count; at += 2_000) yield* load(events.slice(at, at + 2_000))
  }
  created.push(identifierIn(yield* both("POST", "/svc/v2/assets/", { ...identifier, name: "d2.example.com" })))
  const within = { gte: "2026-01-01T01:00:00Z", lt: "2026-01-01T02:00:00.000001Z" }
  for (const order of ["desc", "asc"]) {
    yield* both("POST", "/svc/v4/events/global/_search", { order, size: 10 }, count)
    for (const query of [
      { type: "domain", fqdn: "d3.example.com" },
      { type: "keyword", keyword: "access" },
      { type: "query_string", query_string: "(vpn OR citr* OR d5.example.com) NOT severity:low" }
    ]) {
      for (const filters of [{}, { severity: "high" }, { estimated_created_at: within }]) {
        yield* both("POST", "/svc/v4/events/global/_search", { query, filters, order, size: 9 }, 30)
      }
    }
    for (const id of created) {
      yield* both("POST", `/svc/v4/events/identifiers/${id}/_search`, { order, size: 10 }, count)
    }
  }
})

const word = fc.constantFrom("vpn", "access", "shop", "card", "citr*", '"initial access"', "example", "zanzibar")
const clause = fc
  .tuple(
    fc.constantFrom("", "", "", "+", "-", "!", "NOT ", "title:", "-content:"),
    fc.oneof(
      word,
      fc.tuple(word, fc.constantFrom(" ", " OR ", " && ", " || ", " -"), word).map((words) => `(${words.join("")})`)
    )
  )
  .map(([sign, inner]) => sign + inner)
const language = fc
  .tuple(clause, fc.array(fc.tuple(fc.constantFrom(" ", " ", " AND ", " OR "), clause), { maxLength: 3 }))
  .map(([first, further]) => first + further.flat().join(""))
const query = fc.oneof(
  { arbitrary: language.map((query_string) => ({ type: "query_string", query_string })), weight: 4 },
  fc.constantFrom(
    { type: "domain", fqdn: "d3.example.com" },
    { type: "email", email: "greta.holloway@example.com" },
    { type: "keyword", keyword: "access" },
    { type: "username", username: "saltmarsh" },
    { type: "github_repository", repo_owner: "example", repo_name: "shop" },
    { type: "brand", name: "Example Corporation" },
    { type: "name", first_name: "Tamar", last_name: "Nightingale", is_strict: false },
    { type: "bin", bin: "400012" },
    { type: "ip", ip: "192.0.2.7" }
  )
)
const severities = ["info", "low", "medium", "high", "critical"]
const time = fc.integer({ min: 0, max: 90 }).map((minutes) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString())
const oneFilter = {
  severity: fc.oneof(fc.constantFrom(...severities), fc.subarray(severities)),
  type: fc.subarray(["paste", "listing", "leak", "domain", "chat_message", "stealer_log", "ransomleak"]),
  estimated_created_at: fc.record({ gt: time, gte: time, lt: time, lte: time }, { requiredKeys: [] })
}
const filtersOfTenant = {
  ...oneFilter,
  tags: fc.subarray(["triage", "vip", "duplicate"]),
  status: fc.subarray(["open", "ignored", "remediated"]),
  is_ignored: fc.boolean(),
  is_remediated: fc.boolean()
}
const searchOf = <Filters>(filters: fc.Arbitrary<Filters>) =>
  fc.record(
    { query, filters, order: fc.constantFrom("asc", "desc"), size: fc.integer({ min: 1, max: 10 }) },
    { requiredKeys: [] }
  )

const compareSearches = Effect.fnUntraced(function* (both: Comparison) {
  const numRuns = process.env["LONG_PROPERTIES"] === "true" ? 2_000 : 60
  const searches = {
    global: searchOf(fc.record(oneFilter, { requiredKeys: [] })),
    tenant: searchOf(fc.record(filtersOfTenant, { requiredKeys: [] })),
    "identifiers/1": searchOf(fc.record(filtersOfTenant, { requiredKeys: [] })),
    "identifier_groups/1": searchOf(fc.record(filtersOfTenant, { requiredKeys: [] }))
  }
  let found = 0
  for (const [events, search] of Object.entries(searches)) {
    for (const body of fc.sample(search, { seed: 4_4, numRuns })) {
      const answer = yield* both("POST", `/svc/v4/events/${events}/_search`, body, 2)
      if (!answer.includes('"items":[]')) found += 1
    }
  }
  assert.isAbove(found, numRuns / 2)
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the service on both engines", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node

  it.live("gives the same answers over the sample, and over generated events, to the last page", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      // With the default number of shards, as an operator's indices have.
      const options = { urls: [url], prefix, keyFile: join(directory, "key"), ...unhurriedCluster }
      const files = databaseFiles(join(directory, "test.sqlite"), options.keyFile)
      const one = yield* buildEngine(
        Engine.layer.pipe(Layer.provide(sqliteSameThread(files)), Layer.provide(unhurried))
      )
      const other = yield* buildEngine(Engine.layer.pipe(Layer.provide(openSearch(options)), Layer.provide(unhurried)))
      const both = comparePages(one, other)
      yield* compareSample(one, both)
      yield* compareGeneratedEvents([one, other], both)
      yield* compareSearches(both)
    }).pipe(Effect.scoped)
  )
})

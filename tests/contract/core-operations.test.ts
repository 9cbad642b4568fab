/** The client against the service, over a real socket: every operation, every failure the service can give, and paging while data is loaded. */
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { Intel } from "@threat-exposure/core/client/Intel"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { Reports } from "@threat-exposure/core/client/Reports"
import { layer } from "@threat-exposure/core/client/services"
import { Tenants } from "@threat-exposure/core/client/Tenants"
import { createClient } from "@threat-exposure/core/promise"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { Effect, Redacted, Stream } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"

const run = promisify(execFile)

const failureOf = async (call: Promise<unknown>): Promise<ApiError & { readonly from?: unknown }> => {
  try {
    await call
  } catch (error) {
    return error as ApiError
  }
  return assert.fail("it did not fail")
}

const main = resolve(import.meta.dirname, "../../apps/service/bin/threat-exposure-service.mjs")

const password = ["correct", "horse", "battery"].join("-")
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u

const credentials = (count: number, domain: string, beginning = 0) =>
  Array.from({ length: count }, (_, i) => ({
    id: beginning + i,
    identity_name: `person${i}@${domain}`,
    domain,
    imported_at: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
    hash: i === 0 ? password : `another-${i}`,
    hash_type: "unknown"
  }))

const pastes = (count: number, content: string, beginning = 0) =>
  Array.from({ length: count }, (_, i) => ({
    event_type: "paste",
    metadata: {
      uid: `paste/example/${beginning + i}`,
      estimated_created_at: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
      severity: "high",
      matched_at: null,
      svc_url: `https://app.example.com/paste/${beginning + i}`
    },
    data: { title: `paste ${i}`, content, url: `https://paste.example.com/${beginning + i}` }
  }))

const createPolicy = async (service: RunningService, ...keywords: ReadonlyArray<string>) => {
  const args = ["policies", "create", "--tenant", "1", "--name", "ours", "--keywords", keywords.join(",")]
  const { stdout } = await run(process.execPath, [main, ...args, ...service.store.flags])
  return stdout.trim().split("\n").at(-1) ?? ""
}

const clientOf = (service: RunningService, options: { readonly token?: string; readonly retries?: number } = {}) =>
  createClient({ baseUrl: service.url, token: service.token, ...options })

const all = async <A>(listing: AsyncIterable<A>) => {
  const items: Array<A> = []
  for await (const item of listing) items.push(item)
  return items
}

const domain = { type: "domain", fqdn: "example.com" } as const

describeOnEngines("every operation", ({ store }) => {
  let service: RunningService
  let policyUuid = ""

  beforeAll(async () => {
    service = await startService({ store })
    await service.load("credentials", credentials(25, "example.com"))
    await service.load("events", pastes(25, "the files of example.com, and of our project"))
    await service.load("recommendations", [
      {
        id: 1,
        data: { fqdn: "mail.example.com", type: "domain" },
        status: "recommended",
        updated_at: "2026-01-01T00:00:00Z",
        relevancy: "HIGH"
      }
    ])
    policyUuid = await createPolicy(service, "project", "other")
  })
  afterAll(() => service.stop())

  it("answers programs without Effect", async () => {
    const client = clientOf(service)

    const found = await all(client.credentials.search({ query: domain, size: 7 }))
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      Array.from({ length: 25 }, (_, i) => 24 - i)
    )
    assert.strictEqual(found.at(-1)?.hash?.reveal(), password)
    const bySecret = await all(
      client.credentials.search({ query: { type: "secret", secret: found.at(-1)?.hash ?? "" }, order: "asc" })
    )
    assert.deepStrictEqual(
      bySecret.map(({ identity_name }) => identity_name),
      ["person0@example.com"]
    )
    const pages = await all(client.credentials.pages({ query: domain, size: 10 }))
    assert.deepStrictEqual(
      pages.map(({ items, next }) => [items.length, next === null]),
      [
        [10, false],
        [10, false],
        [5, true]
      ]
    )
    const rest = await all(client.credentials.search({ query: domain, size: 10, from: pages[0]?.next }))
    assert.strictEqual(rest.length, 15)
    const { searchesRemaining } = client.quota()
    assert.isNumber(searchesRemaining)

    const events = await all(client.events.search({ query: { type: "query_string", query_string: "project" } }))
    assert.strictEqual(events.length, 25)
    assert.include(JSON.stringify(events[0]?.highlights), "<mark>")
    const event = await client.events.get(events[0]?.metadata.uid ?? "")
    assert.strictEqual(event.event_type, "paste")
    assert.match(event.metadata.svc_url ?? "", /^https:\/\/app\.example\.com\/paste\/\d+$/u)

    const identifier = await client.identifiers.createV2({
      name: "example.com",
      type: "domain",
      data: { fqdn: "example.com", type: "domain" }
    })
    assert.strictEqual(identifier.name, "example.com")
    const ofIdentifier = await all(client.events.ofIdentifier(identifier.id, { size: 10, order: "asc" }))
    assert.strictEqual(ofIdentifier.length, 25)
    assert.deepStrictEqual(ofIdentifier[0]?.identifiers, [{ id: identifier.id, name: "example.com" }])
    const [firstPage] = await all(client.events.pagesOfIdentifier(identifier.id, { size: 3 }))
    assert.strictEqual(firstPage?.items.length, 3)

    const group = await client.identifierGroups.create({ name: "ours" })
    assert.strictEqual(group.name, "ours")

    const recommendations = await all(
      client.recommendations.list({ types: ["domain"], status: "recommended", size: 1 })
    )
    assert.deepStrictEqual(recommendations[0]?.data, { fqdn: "mail.example.com", type: "domain" })
    assert.strictEqual((await all(client.recommendations.pages()))[0]?.next, null)

    assert.isUndefined(await client.matchingPolicies.assign(policyUuid, { identifier_ids: [identifier.id] }))
    const assignments = await all(client.matchingPolicies.assignments(policyUuid, { order: "asc", size: 1 }))
    assert.deepInclude(assignments[0], { identifier_id: identifier.id, clean_past_events: false })
    assert.lengthOf(await all(client.matchingPolicies.pagesOfAssignments(policyUuid)), 1)
    const [assigned] = await client.matchingPolicies.ofIdentifier(identifier.id)
    assert.deepInclude(assigned?.matching_policy, { uuid: policyUuid, value: { keywords: ["project", "other"] } })
    assert.isUndefined(await client.matchingPolicies.delete(policyUuid))
    assert.deepStrictEqual(await client.matchingPolicies.ofIdentifier(identifier.id), [])

    assert.isUndefined(
      await client.reports.create({
        title: "January",
        author: "us",
        elements: [{ id: 1, position: 1, enabled: true, sort_by: "custom", time_interval: "P1M" }],
        audience: "technical"
      })
    )
    assert.isUndefined(await client.tenants.addUsers(1, { users: [{ user_id: 7, is_readonly: true, role: "viewer" }] }))
    assert.match((await client.intel.ask({ question: "Who sells it?", tone: "analytical" })).request_id, uuid)
  })

  it("answers programs that manage what a tenant monitors", async () => {
    const client = clientOf(service)
    const content = { categories: [], emerging_categories: [], severities: [] }
    const group = await client.identifierGroups.create({ name: "brands" })
    const created = await client.identifiers.create({
      ...content,
      data: { type: "secret", secret: "hunter2" },
      group_id: group.id
    })
    assert.deepInclude(created, { name: "<redacted>", group_id: group.id, is_disabled: false })
    assert.notInclude(JSON.stringify(created), "hunter2")
    assert.strictEqual(created.data.type === "secret" ? created.data.secret?.reveal() : "", "hunter2")
    const listed = await all(client.identifiers.list({ group_id: group.id, size: 1, order_by: "name" }))
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      [created.id]
    )
    const changed = await client.identifiers.update(created.id, {
      ...content,
      data: { type: "keyword", keyword: "project" },
      is_disabled: true,
      group_id: null
    })
    assert.deepInclude(changed, { name: "project", group_id: null, is_disabled: true })
    assert.deepStrictEqual(await client.identifiers.get(created.id), changed)
    assert.strictEqual((await all(client.identifiers.pages({ is_disabled: true })))[0]?.items.length, 1)

    assert.strictEqual((await client.identifierGroups.update(group.id, { name: "Brands" })).name, "Brands")
    assert.deepInclude(await client.identifierGroups.list(), await client.identifierGroups.get(group.id))
    assert.isUndefined(await client.identifierGroups.delete(group.id))
    assert.strictEqual((await failureOf(client.identifierGroups.get(group.id))).name, "NotFound")

    const policy = await client.matchingPolicies.create({
      name: "out",
      type: "EXCLUDED_KEYWORDS",
      value: { keywords: ["x"] }
    })
    assert.deepStrictEqual(await client.matchingPolicies.get(policy.uuid), policy)
    const renamed = await client.matchingPolicies.update(policy.uuid, { name: "no y", value: { keywords: ["y"] } })
    assert.deepInclude(renamed, { name: "no y", value: { keywords: ["y"] } })
    assert.deepInclude(await all(client.matchingPolicies.list({ order: "asc", size: 1 })), renamed)
    await client.matchingPolicies.assign(policy.uuid, { identifier_ids: [created.id] })
    assert.isUndefined(await client.matchingPolicies.unassign(policy.uuid, { identifier_ids: [created.id] }))
    assert.deepStrictEqual(await client.matchingPolicies.ofIdentifier(created.id), [])
    assert.isUndefined(await client.identifiers.delete(created.id))
    assert.strictEqual((await failureOf(client.identifiers.get(created.id))).name, "NotFound")

    const [recommended] = await all(client.recommendations.list({ query: "MAIL", size: 1 }))
    await client.recommendations.reject([recommended?.id ?? 0])
    await client.recommendations.accept([recommended?.id ?? 0])
    assert.deepInclude(await failureOf(client.recommendations.accept([9_999])), { name: "NotFound", done: [] })
    assert.strictEqual((await all(client.recommendations.list({ query: "mail" })))[0]?.status, "accepted")

    await client.reports.create({ title: "A report" })
    const report = (await all(client.reports.list({ order_by: "id", size: 1 })))[0]
    const { id } = report ?? assert.fail()
    assert.isNumber(id)
    for (const each of [id, String(id)]) assert.deepStrictEqual(await client.reports.get(each), report)
    const pdf = await client.reports.download(id, "pdf")
    assert.strictEqual(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-")
    const csv = await client.reports.download(id, "csv").withResponse()
    assert.match(new TextDecoder().decode(csv.data), /^uid,type,severity,/u)
    assert.include(csv.response.headers["content-disposition"], ".csv")
    assert.strictEqual((await failureOf(client.reports.download(id, "docx"))).name, "ValidationFailed")

    assert.deepStrictEqual(await client.tenants.mine(), [{ id: 1, name: null }])
    await client.tenants.addUsers(1, { users: [{ user_id: 77, role: "editor" }] })
    assert.deepInclude(await client.tenants.users(1), { user_id: 77, is_readonly: false, role: "editor" })
    assert.isUndefined(await client.tenants.removeUser(1, 77))
    assert.strictEqual((await failureOf(client.tenants.removeUser(1, 77))).name, "NotFound")
    const { request_id } = await client.intel.ask({ question: "Who?" })
    assert.deepStrictEqual(await client.intel.get(request_id), { status: "processing", report: null })
  })

  it("answers programs with Effect", async () => {
    const another = await createPolicy(service, "example")
    const program = Effect.gen(function* () {
      const search = yield* Credentials
      const found = yield* Stream.runCollect(search.search({ query: domain, size: 10_000, order: "asc" }))
      assert.strictEqual(found.length, 25)
      assert.strictEqual(
        found[0]?.hash === null || found[0] === undefined ? "" : Redacted.value(found[0].hash),
        password
      )
      assert.strictEqual(yield* Stream.runCount(search.pages({ query: domain, size: 5 })), 5)

      const events = yield* Events
      const [first] = yield* Stream.runCollect(Stream.take(events.search({ filters: { severity: "medium" } }), 1))
      assert.strictEqual((yield* events.get(first?.metadata.uid ?? "")).event_type, "paste")
      assert.strictEqual(yield* Stream.runCount(events.pages({ size: 10 })), 3)

      const identifier = yield* (yield* Identifiers).createV2({ name: "project", type: "keyword" })
      assert.strictEqual(yield* Stream.runCount(events.ofIdentifier(identifier.id)), 25)
      assert.isAbove(
        yield* Stream.runCount(events.pagesOfIdentifier(identifier.id, { filters: { status: ["open"] } })),
        2
      )
      assert.strictEqual((yield* (yield* IdentifierGroups).create({ name: "theirs" })).name, "theirs")

      const recommendations = yield* Recommendations
      assert.strictEqual(yield* Stream.runCount(recommendations.list()), 1)
      assert.strictEqual(yield* Stream.runCount(recommendations.pages({ status: "accepted" })), 1)

      const policies = yield* MatchingPolicies
      yield* policies.assign(another, { identifier_ids: [identifier.id], clean_past_events: true })
      assert.strictEqual(yield* Stream.runCount(policies.assignments(another)), 1)
      assert.strictEqual(yield* Stream.runCount(policies.pagesOfAssignments(another)), 1)
      assert.strictEqual((yield* policies.ofIdentifier(identifier.id)).length, 1)
      yield* policies.delete(another)

      yield* (yield* Reports).create({ title: "February" })
      yield* (yield* Tenants).addUsers(1, { users: [] })
      assert.match((yield* (yield* Intel).ask({ question: "Who buys it?" })).request_id, uuid)
      assert.isNumber((yield* (yield* ApiClient).quota).searchesRemaining)
    })
    await Effect.runPromise(Effect.provide(program, layer({ baseUrl: service.url, token: service.token })))
  })
})

// The answer to a failure is made above the store.
describeOnSqlite("every failure", ({ store }) => {
  let service: RunningService

  beforeAll(async () => {
    service = await startService({ store })
    await service.load("credentials", credentials(3, "example.com"))
  })
  afterAll(() => service.stop())

  it("of a token: Unauthorized, whether the path is of v2 or v4", async () => {
    const client = clientOf(service, { token: "no-such-token" })
    const error = await failureOf(all(client.credentials.search({ query: domain })))
    assert.deepInclude(error, { name: "Unauthorized", from: null })
    assert.strictEqual((await failureOf(client.reports.create({ title: "x" }))).name, "Unauthorized")
    assert.notInclude(String(error.stack), "no-such-token")
  })

  it("of a permission: Forbidden, naming it", async () => {
    const reader = clientOf(service, { token: await service.key({ permissions: ["Read Tenant"] }) })
    const writer = clientOf(service, { token: await service.key({ permissions: ["Write Tenant"] }) })
    for (const [call, permission] of [
      [() => all(writer.credentials.search({ query: domain })), "Read Tenant"],
      [() => all(writer.events.search()), "Read Tenant"],
      [() => all(writer.events.ofIdentifier(1)), "Read Tenant"],
      [() => all(writer.recommendations.list()), "Read Tenant"],
      [() => all(writer.matchingPolicies.assignments("x")), "Read Tenant"],
      [() => writer.matchingPolicies.ofIdentifier(1), "Read Tenant"],
      [() => reader.identifiers.createV2({ name: "x", type: "keyword" }), "Write Tenant"],
      [() => reader.identifierGroups.create({ name: "x" }), "Write Tenant"],
      [() => reader.matchingPolicies.assign("x", { identifier_ids: [1] }), "Write Tenant"],
      [() => reader.matchingPolicies.delete("x"), "Write Tenant"],
      [() => reader.reports.create({ title: "x" }), "Write Tenant"],
      [() => reader.intel.ask({ question: "x" }), "Write Tenant"],
      [() => writer.tenants.addUsers(1, { users: [] }), "Write Tenant Admin"]
    ] as const) {
      assert.deepInclude(await failureOf(call()), { name: "Forbidden", permission })
    }
  })

  it("of a resource or a path: NotFound", async () => {
    const client = clientOf(service)
    assert.strictEqual((await failureOf(client.events.get("paste/example/none"))).name, "NotFound")
    assert.strictEqual((await failureOf(all(client.events.ofIdentifier(4711)))).name, "NotFound")
    assert.strictEqual((await failureOf(client.matchingPolicies.delete("none"))).name, "NotFound")
    assert.strictEqual((await failureOf(all(client.matchingPolicies.assignments("none")))).name, "NotFound")
    const elsewhere = createClient({ baseUrl: service.url, token: service.token, pathPrefix: "elsewhere" })
    assert.strictEqual((await failureOf(elsewhere.intel.ask({ question: "x" }))).name, "NotFound")
  })

  it("of a rule that only the service can check: ValidationFailed with the location, and the cursor of the page", async () => {
    const client = clientOf(service)
    const altered = await failureOf(all(client.credentials.search({ query: domain, from: "altered" })))
    assert.deepInclude(altered, { name: "ValidationFailed", from: "altered" })
    const [page] = await all(client.credentials.pages({ query: domain, size: 2 }))
    const other = { type: "domain", fqdn: "example.org" } as const
    const misused = await failureOf(all(client.credentials.search({ query: other, size: 2, from: page?.next })))
    assert.strictEqual(misused._tag === "ValidationFailed" ? misused.detail[0]?.loc.join(".") : "", "body.from")
    const syntax = await failureOf(all(client.events.search({ query: { type: "query_string", query_string: "(a" } })))
    assert.strictEqual(syntax.name, "ValidationFailed")
  })

  it("of another rule: V2Failure; of a body that is too large: ServiceFailure", async () => {
    const client = clientOf(service)
    const broken = await failureOf(client.identifiers.createV2({ type: "search_query", name: "(a" }))
    assert.deepInclude(broken, { name: "V2Failure", status: 400 })
    const large = await failureOf(client.intel.ask({ question: "x".repeat(2_000_000) }))
    assert.deepInclude(large, { name: "ServiceFailure", status: 413 })
  })

  it("of a request that breaks a rule: RequestInvalid, and nothing is sent", async () => {
    const unreachable = createClient({ baseUrl: "https://nowhere.invalid", token: "a-token" })
    assert.strictEqual((await failureOf(all(unreachable.events.search({ size: 11 })))).name, "RequestInvalid")
  })

  it("of the rate and the quota: RateLimited with the time to wait, once retries are spent", async () => {
    const limited = await startService({ store, rates: { basic: 1 }, searchesAMonth: 1 })
    try {
      const client = clientOf(limited, { retries: 0 })
      const calls = await Promise.allSettled(Array.from({ length: 4 }, () => all(client.recommendations.list())))
      const refused = calls.flatMap((call) => (call.status === "rejected" ? [call.reason] : []))
      assert.isAbove(refused.length, 0)
      for (const error of refused)
        assert.deepInclude(error, { name: "RateLimited", code: "RATE_LIMITED", retryAfter: 1 })
      await all(client.credentials.search({ query: domain }))
      assert.strictEqual(client.quota().searchesRemaining, 0)
      const other = { type: "domain", fqdn: "example.org" } as const
      const spent = await failureOf(all(client.credentials.search({ query: other })))
      assert.deepInclude(spent, { name: "RateLimited", code: "QUOTA_EXHAUSTED" })
      const patient = clientOf(limited, { retries: 5 })
      assert.deepStrictEqual(await Promise.all(Array.from({ length: 2 }, () => all(patient.recommendations.list()))), [
        [],
        []
      ])
    } finally {
      await limited.stop()
    }
  })

  it("of an unreachable service: Unavailable; of the deadline: TimedOut; of an abort: its reason", async () => {
    const gone = await startService()
    await gone.stop()
    const client = clientOf(gone, { retries: 1 })
    assert.deepInclude(await failureOf(client.events.get("a/b/c")), { name: "Unavailable", attempts: 2 })
    const hasty = createClient({ baseUrl: service.url, token: service.token, deadline: 0.01 })
    assert.strictEqual((await failureOf(all(hasty.credentials.search({ query: domain })))).name, "TimedOut")
    const reason = new Error("enough")
    const stopped = clientOf(service).events.get("a/b/c", { signal: AbortSignal.abort(reason) })
    assert.strictEqual(await failureOf(stopped).catch((error: unknown) => error), reason)
  })
})

// On a cluster, all page sizes take the same path; its own suite reads the largest page.
describeOnEngines("paging while data is loaded", ({ name: engine, store }) => {
  let service: RunningService

  beforeAll(async () => {
    service = await startService({ store })
  })
  afterAll(() => service.stop())

  /** Loads what `records` gives, a few times while a listing is read, and waits for the last of it. */
  const loadingMeanwhile = (kind: "credentials" | "events", records: (time: number) => ReadonlyArray<unknown>) => {
    const loads: Array<Promise<unknown>> = []
    return {
      some: () => {
        if (loads.length < 5) loads.push(service.load(kind, records(loads.length)))
      },
      done: () => Promise.all(loads)
    }
  }

  for (const [size, count, order] of [
    [1, 40, "asc"],
    [7, 300, "desc"],
    [10_000, 10_500, "desc"]
  ] as const) {
    if (size !== 7 && engine !== "SQLite") continue
    it(`loses and repeats nothing: credentials, ${size} a page`, async () => {
      const name = `page-of-${size}.example.com`
      const beginning = size * 1_000_000
      await service.load("credentials", credentials(count, name, beginning))
      const seen = new Map<number, number>()
      const loads = loadingMeanwhile("credentials", (time) => credentials(20, name, beginning + count + time * 20))
      const query = { type: "domain", fqdn: name } as const
      for await (const { items } of clientOf(service).credentials.pages({ query, size, order })) {
        for (const { id } of items) seen.set(id, (seen.get(id) ?? 0) + 1)
        loads.some()
      }
      await loads.done()
      assert.isTrue(Array.from({ length: count }, (_, i) => seen.get(beginning + i)).every((times) => times === 1))
      assert.isTrue([...seen.values()].every((times) => times === 1))
    })
  }

  for (const size of [1, 7]) {
    if (size !== 7 && engine !== "SQLite") continue
    it(`loses and repeats nothing: events, ${size} a page`, async () => {
      const word = `project${size}`
      const beginning = size * 100_000
      await service.load("events", pastes(60, word, beginning))
      const client = clientOf(service)
      const seen: Array<string> = []
      const loads = loadingMeanwhile("events", (time) => pastes(2, word, beginning + 1000 + time * 2))
      const query = { type: "query_string", query_string: word } as const
      for await (const { items } of client.events.pages({ query, size })) {
        seen.push(...items.map(({ metadata }) => metadata.uid))
        loads.some()
      }
      await loads.done()
      assert.strictEqual(new Set(seen).size, seen.length)
      const loaded = Array.from({ length: 60 }, (_, i) => `paste/example/${beginning + i}`)
      assert.deepStrictEqual(
        loaded.filter((uid) => !seen.includes(uid)),
        []
      )
    })
  }
})

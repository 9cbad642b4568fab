import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Credential } from "@threat-exposure/core/domain/Credential"
import { knownEventTypes, TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { loadSample } from "@threat-exposure/service/sample/SampleLoad"
import { IdentifierGroupStore } from "@threat-exposure/service/identifier-groups/IdentifierGroupStore"
import { IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { ReportStore } from "@threat-exposure/service/reports/Reports"
import { DateTime, Effect, Exit, Layer, Schema } from "effect"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { ServiceForTest } from "../ServiceForTest.ts"

const today = DateTime.makeUnsafe("2026-11-20T15:00:00Z")

const loadedToday = Effect.gen(function* () {
  const service = yield* ServiceForTest
  yield* loadSample()
  return service
})

describe("Sample", () => {
  it("is the same for the same day", () => {
    assert.deepStrictEqual(sampleOf(today), sampleOf(DateTime.add(today, { hours: 3 })))
    assert.notDeepEqual(sampleOf(today), sampleOf(DateTime.add(today, { days: 1 })))
  })

  it("has the same ids and names on every day, so that it can be deleted", () => {
    const names = (day: DateTime.Utc) => {
      const { credentials, events, tenant } = sampleOf(day)
      return {
        credentials: credentials.map(({ id, identity_name }) => `${id} ${identity_name}`),
        events: events.map(({ metadata }) => metadata.uid),
        recommendations: tenant.recommendations.map(({ id }) => id)
      }
    }
    assert.deepStrictEqual(names(today), names(DateTime.add(today, { days: 400 })))
  })

  it.effect("has the shapes of the API, and every type", () =>
    Effect.gen(function* () {
      const { credentials, events } = sampleOf(today)
      yield* Schema.decodeUnknownEffect(Schema.Array(Credential))(credentials)
      yield* Schema.decodeUnknownEffect(Schema.Array(TypedEvent))(events)
      const types = new Set(events.map(({ event_type }) => event_type))
      const secondNames = new Set<string>(["credit_card", "lookalike_domain", "ransom_leak"])
      for (const type of knownEventTypes) if (!secondNames.has(type)) assert.isTrue(types.has(type), type)
      assert.strictEqual(new Set(events.map(({ metadata }) => metadata.uid)).size, events.length)
    })
  )

  it("contains no real hosts, addresses or cards", () => {
    const text = JSON.stringify(sampleOf(today))
    for (const [host] of text.matchAll(/(?<=@|:\/\/)[a-z0-9.-]+\.[a-z]{2,}/g)) {
      assert.match(host, /(?:^|\.)example\.(?:com|org|net)$|^github\.com$/)
    }
    for (const [address] of text.matchAll(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g)) {
      assert.match(address, /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\./)
    }
    for (const [, bin] of text.matchAll(/"bin":"(\d+)"/g)) assert.match(bin ?? "", /^4000/)
  })

  it.live("is nowhere in clear in the database", () =>
    Effect.gen(function* () {
      yield* loadedToday
      const { connection } = yield* Database
      const file = connection.prepare("PRAGMA database_list").get()?.["file"]
      const stored = [String(file), `${String(file)}-wal`].map((each) => readFileSync(each, "latin1")).join("")
      for (const { value } of Object.values(leakedSecrets)) assert.notInclude(stored, value)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

describeOnSqlite("Sample", ({ stores }) => {
  // Loaded once, because the tests only read the sample or load it again.
  const sample = Layer.provideMerge(Layer.effectDiscard(loadSample()), ServiceForTest.over(stores))

  layer(sample, { excludeTestServices: true })((it) => {
    it.effect("has every leaked secret where it should be, and shows none", () =>
      Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        for (const { kind, seenIn, value } of Object.values(leakedSecrets)) {
          const query = { type: "secret", secret: value }
          const events = yield* call(1, "POST", "/v4/events/global/_search", { query })
          const credentials = yield* call(1, "POST", "/v4/credentials/global/_search", { query })
          const places = new Set(credentials.body.items.length > 0 ? ["credentials"] : [])
          for (const { metadata } of events.body.items) {
            const event = yield* call(1, "GET", `/v4/events/?uid=${encodeURIComponent(metadata.uid)}`)
            places.add(event.body.event_type)
          }
          assert.sameMembers([...places], [...seenIn], kind)
          assert.notInclude(JSON.stringify(events.body), value)
        }
      })
    )

    it.effect("has data of the last thirty days for the domain of the demo", () =>
      Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        const since = { gte: DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: 30 })) }
        const query = { type: "domain", fqdn: "example.com" }
        const events = yield* call(1, "POST", "/v4/events/global/_search", {
          query,
          filters: { estimated_created_at: since }
        })
        const credentials = yield* call(1, "POST", "/v4/credentials/global/_search", {
          query,
          filters: { imported_at: since }
        })
        assert.isNotEmpty(events.body.items)
        assert.isNotEmpty(credentials.body.items)
      })
    )

    it.effect("creates identifiers that all match, a policy, recommendations and statuses for the tenant, once", () =>
      Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        yield* loadSample()
        const { identifiers, monitored } = sampleOf(today).tenant
        for (const id of identifiers.keys()) {
          const { body } = yield* call(1, "POST", `/v4/events/identifiers/${id + 1}/_search`, { size: 1 })
          assert.isNotEmpty(body.items, identifiers[id]?.name)
        }
        assert.strictEqual(
          (yield* call(1, "POST", `/v4/events/identifiers/${identifiers.length + monitored.length + 1}/_search`, {}))
            .status,
          404
        )
        for (const status of ["open", "ignored", "remediated"]) {
          const { body } = yield* call(1, "POST", "/v4/events/identifiers/1/_search", { filters: { status: [status] } })
          assert.isNotEmpty(body.items, status)
        }
        const tagged = yield* call(1, "POST", "/v4/events/identifiers/1/_search", { filters: { tags: ["triage"] } })
        assert.isNotEmpty(tagged.body.items)
        const policies = yield* call(1, "GET", "/v4/matching-policies/by_identifier_id/2")
        assert.lengthOf(policies.body, 1)
        assert.lengthOf((yield* call(1, "GET", "/v4/identifier-recommendations/")).body.items, 9)
      })
    )

    it.effect(
      "shows disabled and grouped identifiers, every kind of policy, pending recommendations and a report",
      () =>
        Effect.gen(function* () {
          const { call } = yield* ServiceForTest
          yield* loadSample()
          const items = (path: string) => Effect.map(call(1, "GET", path), ({ body }): ReadonlyArray<any> => body.items)
          const names = (query: string) =>
            Effect.map(items(`/v4/identifiers/?${query}`), (identifiers) => identifiers.map(({ name }) => name))
          const { assets_groups } = (yield* call(1, "GET", "/v2/assets/groups/")).body
          assert.deepStrictEqual(
            assets_groups.map(({ name }: { name: string }) => name),
            ["Subsidiaries"]
          )
          assert.deepStrictEqual(yield* names("is_disabled=true"), ["Former brand"])
          assert.deepStrictEqual(yield* names(`group_id=${assets_groups[0].id}`), ["Iberia", "Former brand"])
          assert.deepStrictEqual(
            (yield* items("/v4/matching-policies?order=asc")).map(({ policy_type }) => policy_type).toSorted(),
            ["ASTP_COOKIES", "ASTP_DOMAIN", "EXCLUDED_KEYWORDS", "INCLUDED_KEYWORDS", "LUCENE_QUERY"]
          )
          assert.isNotEmpty(yield* items("/v4/identifier-recommendations/?status=recommended"))
          const [report, ...others] = yield* items("/v4/reports")
          assert.deepStrictEqual([report.title, report.status, others], ["Quarterly review", "completed", []])
          const { bytes, status } = yield* call(1, "GET", `/v4/reports/${report.id}/download?format=pdf`)
          assert.deepStrictEqual([status, Buffer.from(bytes).toString("latin1", 0, 5)], [200, "%PDF-"])
          const open = yield* call(1, "POST", "/v4/events/tenant/_search", {})
          for (const filters of [{ is_ignored: true }, { is_remediated: true }, { tags: ["triage"] }]) {
            const { body } = yield* call(1, "POST", "/v4/events/tenant/_search", { filters })
            assert.isNotEmpty(body.items)
          }
          assert.isNotEmpty(open.body.items)
        })
    )
  })
})

describeOnEngines("Sample", ({ store }) => {
  it.live("is loaded once by services that start at the same time", () =>
    Effect.gen(function* () {
      const { layer } = yield* store
      const service = ServiceForTest.over(layer)
      yield* Effect.forEach([1, 2, 3], () => loadSample().pipe(Effect.provide(service)), { concurrency: 3 })
      assert.deepStrictEqual(yield* Effect.provide(countCreated, service), everythingOnce)
    }).pipe(Effect.scoped)
  )

  it.live("is completed after kills, without creating anything twice", () =>
    Effect.gen(function* () {
      const { layer } = yield* store
      const service = ServiceForTest.over(layer)
      let kills = 0
      while (Exit.isFailure(yield* Effect.exit(Effect.provide(killedAfter(5), service)))) {
        kills += 1
        assert.isBelow(kills, 10)
      }
      assert.isAbove(kills, 2)
      assert.deepStrictEqual(yield* Effect.provide(countCreated, service), everythingOnce)
    }).pipe(Effect.scoped)
  )
})

/** Loads the sample, but dies after `creations` of what has an id of its own. */
const killedAfter = Effect.fnUntraced(function* (creations: number) {
  let left = creations
  const counted =
    <Args extends ReadonlyArray<unknown>, A, E>(create: (...args: Args) => Effect.Effect<A, E>) =>
    (...args: Args) =>
      Effect.tap(create(...args), () => ((left -= 1) < 0 ? Effect.die("killed") : Effect.void))
  const identifiers = yield* IdentifierStore
  const groups = yield* IdentifierGroupStore
  const policies = yield* MatchingPolicyStore
  const reports = yield* ReportStore
  yield* loadSample().pipe(
    Effect.provideService(IdentifierStore, { ...identifiers, insert: counted(identifiers.insert) }),
    Effect.provideService(IdentifierGroupStore, { ...groups, put: counted(groups.put) }),
    Effect.provideService(MatchingPolicyStore, { ...policies, insert: counted(policies.insert) }),
    Effect.provideService(ReportStore, { ...reports, insert: counted(reports.insert) })
  )
})

const countCreated = Effect.gen(function* () {
  const { call } = yield* ServiceForTest
  const counts = yield* Effect.forEach(
    ["/v4/identifiers/?size=100", "/v4/matching-policies", "/v4/identifier-recommendations/", "/v4/reports"],
    (path) => Effect.map(call(1, "GET", path), ({ body }): number => body.items.length)
  )
  const groups: ReadonlyArray<unknown> = (yield* call(1, "GET", "/v2/assets/groups/")).body.assets_groups
  const assigned: ReadonlyArray<number> = yield* Effect.forEach(sampleOf(today).tenant.policies, ({ uuid }) =>
    Effect.map(call(1, "GET", `/v4/matching-policies/${uuid}/assignments`), ({ body }): number => body.items.length)
  )
  return { counts, assigned, groups: groups.length }
})

const { identifiers, monitored, policies, recommendations } = sampleOf(today).tenant
const everythingOnce: Effect.Success<typeof countCreated> = {
  counts: [identifiers.length + monitored.length, policies.length, recommendations.length, 1],
  assigned: policies.map(({ identifiers }) => identifiers.length),
  groups: 1
}

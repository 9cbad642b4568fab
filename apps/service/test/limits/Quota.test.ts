import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { Quota, QuotaStore } from "@threat-exposure/service/limits/Quota"
import { QuotaStoreSqlite } from "@threat-exposure/service/sqlite/QuotaStoreSqlite"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { TenantDeletion } from "@threat-exposure/service/tenants/TenantDeletion"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseForTest, DatabaseOnTestClock } from "../DatabaseForTest.ts"

const started = Effect.map(
  Layer.build(Layer.fresh(Quota.layer.pipe(Layer.provide(QuotaStoreSqlite)))),
  Context.get(Quota)
)

const newKey = Effect.flatMap(KeyStore, (keys) =>
  keys.create({ token: newToken(), tenantId: 1, permissions: [], createdAt: "2026-01-01T00:00:00Z" })
)

const databaseWithKey = Layer.effectDiscard(newKey).pipe(Layer.provideMerge(DatabaseOnTestClock))

const forgetsDeletedTenants = Effect.gen(function* () {
  const quota = yield* QuotaStore
  const tenants = yield* TenantDeletion
  const month = "2026-11"
  yield* newKey
  const units = Effect.suspend(() => Effect.map(quota.used(1, month), (used) => used.units))
  yield* quota.add({ number: 1, uses: [{ tenantId: 1, month, units: 3 }] })
  assert.strictEqual(yield* units, 3)
  yield* tenants.delete(1)
  yield* quota.add({ number: 2, uses: [{ tenantId: 1, month, units: 2 }] })
  assert.strictEqual(yield* units, 0)
  assert.deepEqual(yield* tenants.count(1), [])
})

const left = (quota: Quota["Service"], search: string, count = 1) =>
  Effect.map(
    quota.charge({ tenantId: 1, search, position: 0 }, () => Effect.succeed({ count, last: undefined })),
    ({ left }) => left.remaining
  )

describe("Quota", () => {
  it.live("stores nothing for a tenant that was deleted while a service ran", () =>
    forgetsDeletedTenants.pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("learns within a second what another service over the same database has charged", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* started, yield* started]
      assert.deepEqual([yield* left(here, "a", 250), yield* left(there, "b")], [999_997, 999_999])
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual([yield* left(here, "a"), yield* left(there, "b")], [999_996, 999_996])
    }).pipe(Effect.provide(databaseWithKey))
  )

  it.effect("survives a restart", () =>
    Effect.gen(function* () {
      const before = Effect.flatMap(started, (quota) => left(quota, "a", 250)).pipe(Effect.scoped)
      assert.strictEqual(yield* before, 999_997)
      assert.strictEqual(yield* left(yield* started, "b"), 999_996)
    }).pipe(Effect.provide(databaseWithKey))
  )

  it.effect("charges nothing for a page that fails or is interrupted", () =>
    Effect.gen(function* () {
      const quota = yield* started
      const search = { tenantId: 1, search: "a", position: 0 }
      assert.strictEqual(yield* Effect.flip(quota.charge(search, () => Effect.fail("failed"))), "failed")
      yield* Effect.timeoutOption(
        quota.charge(search, () => Effect.never),
        0
      )
      assert.strictEqual(yield* left(quota, "b"), 999_999)
    }).pipe(Effect.provide(databaseWithKey))
  )
})

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the quota on OpenSearch", () => {
  const url = "missing" in node ? "" : node.url

  it.live("stores nothing for a tenant that was deleted while a service ran", () =>
    forgetsDeletedTenants.pipe(Effect.provide(Layer.unwrap(Effect.map(emptyCluster(url), openSearch))))
  )

  it.live("adds a batch once, however often it is stored, and whatever other services add meanwhile", () =>
    Effect.gen(function* () {
      const cluster = Layer.fresh(openSearch(yield* emptyCluster(url)))
      const start = Layer.build(cluster)
      const [here, there] = [yield* start, yield* start]
      const [ours, others] = [Context.get(here, QuotaStore), Context.get(there, QuotaStore)]
      yield* Context.get(here, KeyStore).create({
        token: newToken(),
        tenantId: 1,
        permissions: [],
        createdAt: "2026-01-01T00:00:00Z"
      })
      const batch = (number: number, units: number) => ({ number, uses: [{ tenantId: 1, month: "2026-11", units }] })
      yield* ours.add(batch(1, 3))
      yield* others.add(batch(1, 4))
      yield* ours.add(batch(1, 3))
      assert.deepEqual(yield* ours.used(1, "2026-11"), { units: 7, batch: 1 })
      yield* ours.add(batch(2, 1))
      assert.deepEqual(yield* ours.used(1, "2026-11"), { units: 8, batch: 2 })
      assert.deepEqual(yield* others.used(1, "2026-11"), { units: 8, batch: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("shares charged searches with the other services, including one that starts later", () =>
    Effect.gen(function* () {
      const cluster = Layer.fresh(openSearch(yield* emptyCluster(url)))
      const start = Effect.map(Layer.build(cluster), Context.get(QuotaStore))
      const [here, there] = [yield* start, yield* start]
      const now = yield* Clock.currentTimeMillis
      const first = new Map([
        ["1 a 0", now],
        ["1 a 1", now]
      ])
      assert.deepEqual(yield* there.exchangePaid(new Map()), new Map())
      assert.deepEqual(yield* here.exchangePaid(first), new Map())
      assert.deepEqual(yield* there.exchangePaid(new Map([["1 b 0", now]])), first)
      assert.deepEqual(yield* here.exchangePaid(new Map()), new Map([["1 b 0", now]]))
      assert.deepEqual(yield* (yield* start).exchangePaid(new Map()), new Map([...first, ["1 b 0", now]]))

      // The clock of one machine was an hour fast, and is corrected.
      const clock = yield* Clock.Clock
      const ahead = { ...clock, currentTimeMillis: Effect.map(clock.currentTimeMillis, (time) => time + 3_600_000) }
      yield* Effect.provideService(there.exchangePaid(new Map()), Clock.Clock, ahead)
      yield* here.exchangePaid(new Map([["1 c 0", now]]))
      assert.strictEqual((yield* there.exchangePaid(new Map())).get("1 c 0"), now)
    }).pipe(Effect.scoped)
  )
})

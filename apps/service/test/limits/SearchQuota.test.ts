import { assert, describe, it } from "@effect/vitest"
import { quotaRenewal, SearchQuota, writeQuotaUse } from "@threat-exposure/service/limits/SearchQuota"
import { Database } from "@threat-exposure/service/sqlite/Database"
import { Effect } from "effect"
import { DatabaseForTest } from "../DatabaseForTest.ts"

const november = Date.parse("2026-11-30T23:50:00Z")
const minute = 60_000

/** One page of `count` results from the beginning of its search; true when the next costs another unit. */
const search = (quota: SearchQuota, tenantId: number, name: string, count: number, now: number) =>
  quota.pay(tenantId, name, 0, now)?.served(count, true).batchReached

describe("SearchQuota", () => {
  it.effect("asks a unit for a search, and nothing for the same search within ten minutes", () =>
    Effect.gen(function* () {
      const quota = new SearchQuota((yield* Database).connection, 10)
      assert.isFalse(search(quota, 1, "a", 7, november))
      search(quota, 1, "a", 7, november + minute)
      assert.strictEqual(quota.remaining(1, november), 9)
      search(quota, 1, "b", 7, november)
      assert.strictEqual(quota.remaining(1, november), 8)
      assert.strictEqual(quota.remaining(2, november), 10)
      search(quota, 1, "a", 7, november - 1 + 10 * minute)
      assert.strictEqual(quota.remaining(1, november), 8)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("asks another unit for every hundred results, and says when one is next", () =>
    Effect.gen(function* () {
      const quota = new SearchQuota((yield* Database).connection, 10)
      assert.isFalse(search(quota, 1, "a", 99, november))
      assert.isTrue(search(quota, 1, "a", 100, november))
      assert.strictEqual(quota.remaining(1, november), 9)
      search(quota, 1, "a", 101, november)
      assert.strictEqual(quota.remaining(1, november), 8)
      search(quota, 1, "b", 450, november)
      assert.strictEqual(quota.remaining(1, november), 3)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("is spent for what is new, and not for what was paid for, until the next month", () =>
    Effect.gen(function* () {
      const quota = new SearchQuota((yield* Database).connection, 1)
      assert.isFalse(search(quota, 1, "a", 50, november))
      assert.isUndefined(quota.pay(1, "b", 0, november))
      assert.isDefined(quota.pay(1, "a", 50, november))
      assert.isUndefined(quota.pay(1, "a", 100, november))
      assert.strictEqual(quotaRenewal(november), Date.parse("2026-12-01T00:00:00Z"))
      assert.isDefined(quota.pay(1, "b", 0, november + 10 * minute))
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("cannot be overdrawn by searches on their way at once, and gives back what was never served", () =>
    Effect.gen(function* () {
      const quota = new SearchQuota((yield* Database).connection, 2)
      const first = quota.pay(1, "a", 0, november)
      assert.isDefined(quota.pay(1, "b", 0, november))
      assert.isUndefined(quota.pay(1, "c", 0, november))
      assert.isDefined(quota.pay(1, "a", 0, november))
      first?.refund()
      assert.strictEqual(quota.remaining(1, november), 1)
      assert.isDefined(quota.pay(1, "c", 0, november))
      assert.isUndefined(quota.pay(1, "a", 0, november))
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("asks a page for the hundreds that it has, wherever in its search it begins", () =>
    Effect.gen(function* () {
      const quota = new SearchQuota((yield* Database).connection, 100)
      const page = (position: number, count: number, now: number) => {
        const before = quota.remaining(1, now)
        quota.pay(1, "a", position, now)?.served(count, true)
        return before - quota.remaining(1, now)
      }
      assert.deepEqual([page(0, 100, november), page(100, 10, november), page(110, 90, november)], [1, 1, 0])
      // Resumed after the ten minutes, deep in the listing.
      const later = november + 10 * minute
      assert.deepEqual([page(5_000, 10, later), page(5_010, 10, later), page(5_090, 20, later)], [1, 0, 1])
      assert.deepEqual([page(0, 10, later), page(5_050, 10, later)], [1, 0])
      // An empty page is a search too.
      assert.deepEqual([page(7_000, 0, later), page(7_000, 0, later)], [1, 0])
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("survives a restart through what it wrote down", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const quota = new SearchQuota(database.connection, 10)
      search(quota, 1, "a", 250, november)
      search(quota, 2, "a", 1, november)
      quota.takeUnwritten()
      assert.strictEqual(quota.remaining(1, november), 7)
      quota.giveBack()
      yield* database.write(writeQuotaUse, quota.takeUnwritten())
      quota.learn()
      assert.strictEqual(quota.remaining(1, november), 7)
      search(quota, 1, "b", 1, november)
      yield* database.write(writeQuotaUse, quota.takeUnwritten())
      quota.learn()
      assert.deepEqual(quota.takeUnwritten(), [])
      const restarted = new SearchQuota(database.connection, 10)
      assert.deepEqual([restarted.remaining(1, november), restarted.remaining(2, november)], [6, 9])
      assert.strictEqual(restarted.remaining(1, november + 11 * minute), 10)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { quotaRenewal, searchName, SearchQuota } from "@threat-exposure/service/limits/SearchQuota"

const november = Date.parse("2026-11-30T23:50:00Z")
const minute = 60_000

/**
 * Charges one page of `count` results at the beginning of the search. Returns true if the next page costs another unit.
 */
const search = (quota: SearchQuota, tenantId: number, name: string, count: number, now: number) =>
  quota.pay(tenantId, name, 0, now)?.complete(count, true).batchReached

describe("searchName", () => {
  it("differs between tenants, between searches and between keys, and does not contain the terms", () => {
    const vaults = [1, 2].map((byte) => new Vault(new Uint8Array(32).fill(byte)))
    const names = vaults.flatMap((vault) =>
      [1, 2].flatMap((tenant) => ["12", "34"].map((term) => searchName(vault, tenant, term)))
    )
    assert.strictEqual(new Set(names).size, 8)
    for (const name of names) assert.match(name, /^-?\d{10,}$/u)
  })
})

describe("SearchQuota", () => {
  it("charges a unit for a search, and nothing for the same search within ten minutes", () => {
    const quota = new SearchQuota(10)
    assert.isFalse(search(quota, 1, "a", 7, november))
    search(quota, 1, "a", 7, november + minute)
    assert.strictEqual(quota.remaining(1, november), 9)
    search(quota, 1, "b", 7, november)
    assert.strictEqual(quota.remaining(1, november), 8)
    assert.strictEqual(quota.remaining(2, november), 10)
    search(quota, 1, "a", 7, november - 1 + 10 * minute)
    assert.strictEqual(quota.remaining(1, november), 8)
  })

  it("charges nothing for a search that another service has charged, and charges again after a refund", () => {
    const earlier = november - 20 * minute
    const [here, there] = [new SearchQuota(10), new SearchQuota(10)]
    search(here, 1, "a", 150, earlier)
    here.pay(1, "b", 0, earlier)?.refund()
    const paid = here.takePaid()
    assert.lengthOf([...paid], 2)
    assert.lengthOf([...here.takePaid()], 0)
    for (let time = 0; time < 2; time += 1) there.learnPaid(paid)
    search(there, 1, "a", 150, earlier + minute)
    assert.strictEqual(there.remaining(1, november), 10)
    assert.lengthOf([...there.takePaid()], 0)
    search(there, 1, "b", 1, earlier + minute)
    search(there, 2, "a", 1, earlier + minute)
    search(there, 1, "a", 1, earlier + 10 * minute)
    assert.deepEqual([there.remaining(1, november), there.remaining(2, november)], [8, 9])
    here.restorePaid(paid)
    assert.deepEqual(here.takePaid(), paid)
  })

  it("charges another unit for every hundred results, and reports when the next is due", () => {
    const quota = new SearchQuota(10)
    assert.isFalse(search(quota, 1, "a", 99, november))
    assert.isTrue(search(quota, 1, "a", 100, november))
    assert.strictEqual(quota.remaining(1, november), 9)
    search(quota, 1, "a", 101, november)
    assert.strictEqual(quota.remaining(1, november), 8)
    search(quota, 1, "b", 450, november)
    assert.strictEqual(quota.remaining(1, november), 3)
  })

  it("refuses new searches and allows charged ones without quota, until the next month", () => {
    const quota = new SearchQuota(1)
    assert.isFalse(search(quota, 1, "a", 50, november))
    assert.isUndefined(quota.pay(1, "b", 0, november))
    assert.isDefined(quota.pay(1, "a", 50, november))
    assert.isUndefined(quota.pay(1, "a", 100, november))
    assert.strictEqual(quotaRenewal(november), Date.parse("2026-12-01T00:00:00Z"))
    assert.isDefined(quota.pay(1, "b", 0, november + 10 * minute))
  })

  it("cannot be overdrawn by concurrent searches, and refunds searches that were not served", () => {
    const quota = new SearchQuota(2)
    const first = quota.pay(1, "a", 0, november)
    assert.isDefined(quota.pay(1, "b", 0, november))
    assert.isUndefined(quota.pay(1, "c", 0, november))
    assert.isDefined(quota.pay(1, "a", 0, november))
    first?.refund()
    assert.strictEqual(quota.remaining(1, november), 1)
    assert.isDefined(quota.pay(1, "c", 0, november))
    assert.isUndefined(quota.pay(1, "a", 0, november))
  })

  it("reports its charges as a counter that never decreases, whatever was refunded", () => {
    const quota = new SearchQuota(10)
    const first = quota.pay(1, "a", 0, november)
    assert.strictEqual(quota.charged, 0)
    first?.refund()
    assert.strictEqual(quota.charged, 0)
    quota.pay(1, "a", 0, november)?.complete(250, true)
    assert.strictEqual(quota.charged, 3)
    quota.pay(1, "a", 0, november)?.complete(250, true)
    quota.pay(1, "a", 300, november)?.refund()
    assert.strictEqual(quota.charged, 3)
  })

  it("does not extend the free ten minutes when a clock that ran ahead is set back", () => {
    const quota = new SearchQuota(10)
    search(quota, 1, "a", 7, november + 24 * 60 * minute)
    // The clock of another service may be slightly fast.
    search(quota, 1, "a", 7, november + 24 * 60 * minute - minute)
    assert.strictEqual(quota.remaining(1, november + 24 * 60 * minute), 9)
    assert.strictEqual(quota.remaining(1, november), 10)
    search(quota, 1, "a", 7, november)
    assert.strictEqual(quota.remaining(1, november), 9)
    search(quota, 1, "a", 7, november + minute)
    assert.strictEqual(quota.remaining(1, november), 9)
  })

  it("charges a page for the blocks of a hundred that it overlaps, wherever it begins", () => {
    const quota = new SearchQuota(100)
    const page = (position: number, count: number, now: number) => {
      const before = quota.remaining(1, now)
      quota.pay(1, "a", position, now)?.complete(count, true)
      return before - quota.remaining(1, now)
    }
    assert.deepEqual([page(0, 100, november), page(100, 10, november), page(110, 90, november)], [1, 1, 0])
    // The search continues after the ten minutes, deep in the listing.
    const later = november + 10 * minute
    assert.deepEqual([page(5_000, 10, later), page(5_010, 10, later), page(5_090, 20, later)], [1, 0, 1])
    assert.deepEqual([page(0, 10, later), page(5_050, 10, later)], [1, 0])
    // An empty page also counts as a search.
    assert.deepEqual([page(7_000, 0, later), page(7_000, 0, later)], [1, 0])
  })

  it("counts what the store reports and what is not stored yet", () => {
    const quota = new SearchQuota(10)
    assert.isFalse(quota.knows(1, "2026-11"))
    quota.learn({ tenantId: 1, month: "2026-11", units: 2 })
    assert.isTrue(quota.knows(1, "2026-11"))
    search(quota, 1, "a", 250, november)
    search(quota, 2, "a", 1, november)
    assert.strictEqual(quota.remaining(1, november), 5)
    const uses = [
      { tenantId: 1, month: "2026-11", units: 3 },
      { tenantId: 2, month: "2026-11", units: 1 }
    ]
    assert.deepEqual(quota.takeUnwritten(), { number: 1, uses })
    assert.strictEqual(quota.remaining(1, november), 5)
    // After a failed write, the same batch is returned, whatever was spent since.
    search(quota, 1, "b", 1, november)
    assert.strictEqual(quota.remaining(1, november), 4)
    assert.deepEqual(quota.takeUnwritten(), { number: 1, uses })
    quota.confirmWritten()
    const later = [{ tenantId: 1, month: "2026-11", units: 1 }]
    assert.deepEqual([quota.knows(1, "2026-11"), quota.takeUnwritten()], [false, { number: 2, uses: later }])
    quota.confirmWritten()
    assert.deepEqual(quota.takeUnwritten().uses, [])
    quota.learn({ tenantId: 1, month: "2026-11", units: 5 })
    assert.deepEqual([quota.remaining(1, november), quota.remaining(1, november + 11 * minute)], [5, 10])
  })

  it("counts a batch once that the store has although its write failed", () => {
    const quota = new SearchQuota(10)
    search(quota, 1, "a", 250, november)
    const { number } = quota.takeUnwritten()
    quota.learn({ tenantId: 1, month: "2026-11", units: 3, batch: number - 1 })
    assert.strictEqual(quota.remaining(1, november), 4)
    quota.learn({ tenantId: 1, month: "2026-11", units: 3, batch: number })
    assert.strictEqual(quota.remaining(1, november), 7)
    search(quota, 1, "b", 1, november)
    assert.deepEqual(quota.takeUnwritten(), {
      number: number + 1,
      uses: [{ tenantId: 1, month: "2026-11", units: 1 }]
    })
  })
})

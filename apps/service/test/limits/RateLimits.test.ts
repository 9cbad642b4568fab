import { assert, describe, it } from "@effect/vitest"
import { type BucketCounts, RateLimits } from "@threat-exposure/service/limits/RateLimits"

describe("RateLimits", () => {
  it("admits the calls of one second at once, then at the rate", () => {
    const limits = new RateLimits({ search: 2 })
    const pass = (now: number) => limits.secondsToWait(1, "search", now)
    assert.deepEqual([pass(0), pass(0), pass(0)], [0, 0, 1])
    assert.deepEqual([pass(499), pass(500), pass(500)], [1, 0, 1])
    assert.deepEqual([pass(60_000), pass(60_000), pass(60_000)], [0, 0, 1])
  })

  it("counts tenants and tiers separately, and has no limit unless one is set", () => {
    const limits = new RateLimits({ search: 1 })
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 0)
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 1)
    assert.strictEqual(limits.secondsToWait(2, "search", 0), 0)
    for (let call = 0; call < 100; call += 1) assert.strictEqual(limits.secondsToWait(1, "basic", 0), 0)
  })

  it("counts what an admitted call cost as further calls, here and elsewhere", () => {
    const limits = new RateLimits({ search: 2 })
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 0)
    limits.charge(1, "search", 5, 0)
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 3)
    assert.strictEqual(limits.secondsToWait(2, "search", 0), 0)
    assert.deepStrictEqual(
      [...limits.countAdmitted(0)],
      [
        ["search 1", 6],
        ["search 2", 1]
      ]
    )
    limits.charge(1, "basic", 5, 0)
    assert.strictEqual(limits.secondsToWait(1, "basic", 0), 0)
  })

  it("reports the wait of a slow tier", () => {
    const limits = new RateLimits({ basic: 0.1 })
    assert.strictEqual(limits.secondsToWait(1, "basic", 10_000), 0)
    assert.strictEqual(limits.secondsToWait(1, "basic", 10_000), 10)
    assert.strictEqual(limits.secondsToWait(1, "basic", 15_000), 5)
    assert.strictEqual(limits.secondsToWait(1, "basic", 20_000), 0)
  })

  it("never requests a wait of more than a minute", () => {
    const limits = new RateLimits({ search: 0.001 })
    assert.deepEqual(
      [0, 0, 500_000, 999_999, 1_000_000].map((now) => limits.secondsToWait(1, "search", now)),
      [0, 60, 60, 1, 0]
    )
  })

  it("applies over services that share their counts every half second, to within one second's calls of each", () => {
    const rate = 5
    const services = ["a", "b", "c"].map((name) => ({ name, limits: new RateLimits({ search: rate }) }))
    const published = new Map<string, BucketCounts>()
    let passed = 0
    for (let now = 0; now < 20_000; now += 10) {
      for (const { limits } of services) if (limits.secondsToWait(1, "search", now) === 0) passed += 1
      if (now % 500 > 0) continue
      for (const { limits, name } of services) published.set(name, new Map(limits.countAdmitted(now)))
      for (const { limits, name } of services) {
        limits.learn(new Map([...published].filter(([other]) => other !== name)), now)
      }
    }
    assert.isAtLeast(passed, rate * 19)
    assert.isAtMost(passed, rate * 20 + services.length * rate)
  })

  it("counts correctly for more tenants than start a clean-up", () => {
    const limits = new RateLimits({ search: 1 })
    const tenants = Array.from({ length: 5_000 }, (_, id) => id)
    for (const now of [0, 10_000]) {
      assert.isTrue(tenants.every((id) => limits.secondsToWait(id, "search", now) === 0))
      assert.isTrue(tenants.every((id) => limits.secondsToWait(id, "search", now) === 1))
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { RateLimits } from "@threat-exposure/service/limits/RateLimits"

describe("RateLimits", () => {
  it("lets a second's worth of calls pass at once, then as they come", () => {
    const limits = new RateLimits({ search: 2 })
    const pass = (now: number) => limits.secondsToWait(1, "search", now)
    assert.deepEqual([pass(0), pass(0), pass(0)], [0, 0, 1])
    assert.deepEqual([pass(499), pass(500), pass(500)], [1, 0, 1])
    assert.deepEqual([pass(60_000), pass(60_000), pass(60_000)], [0, 0, 1])
  })

  it("counts tenants and tiers apart, and has no limit where none is set", () => {
    const limits = new RateLimits({ search: 1 })
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 0)
    assert.strictEqual(limits.secondsToWait(1, "search", 0), 1)
    assert.strictEqual(limits.secondsToWait(2, "search", 0), 0)
    for (let call = 0; call < 100; call += 1) assert.strictEqual(limits.secondsToWait(1, "basic", 0), 0)
  })

  it("says how long a slow tier takes, and does not run backwards with the clock", () => {
    const limits = new RateLimits({ basic: 0.1 })
    assert.strictEqual(limits.secondsToWait(1, "basic", 10_000), 0)
    assert.strictEqual(limits.secondsToWait(1, "basic", 10_000), 10)
    assert.strictEqual(limits.secondsToWait(1, "basic", 5_000), 10)
    assert.strictEqual(limits.secondsToWait(1, "basic", 15_001), 0)
  })

  it("never asks for a wait of more than a minute", () => {
    const limits = new RateLimits({ search: 0.001 })
    assert.deepEqual(
      [0, 0, 500_000, 999_999, 1_000_000].map((now) => limits.secondsToWait(1, "search", now)),
      [0, 60, 60, 1, 0]
    )
  })

  it("counts right for more tenants than it sweeps at", () => {
    const limits = new RateLimits({ search: 1 })
    const tenants = Array.from({ length: 5_000 }, (_, id) => id)
    for (const now of [0, 10_000]) {
      assert.isTrue(tenants.every((id) => limits.secondsToWait(id, "search", now) === 0))
      assert.isTrue(tenants.every((id) => limits.secondsToWait(id, "search", now) === 1))
    }
  })
})

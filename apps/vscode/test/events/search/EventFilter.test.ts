import { assert, describe, it } from "@effect/vitest"
import { both, describe as inWords, forGlobalSearch, forIdentifier } from "../../../src/events/search/EventFilter.ts"

describe("two filters at once", () => {
  it("let events pass that both let pass", () => {
    assert.deepStrictEqual(both({ severity: "medium" }, { severity: "high" }), { severity: "high" })
    assert.deepStrictEqual(both({ severity: ["low", "critical"] }, { severity: "medium" }), { severity: "critical" })
    assert.deepStrictEqual(both({ severity: ["low", "high"] }, { severity: "info" }), { severity: ["low", "high"] })
    assert.deepStrictEqual(both({ type: ["leak", "bot"] }, { type: ["bot", "paste"] }), { type: ["bot"] })
    assert.deepStrictEqual(
      both(
        { estimated_created_at: { gte: "2026-01-01" } },
        { estimated_created_at: { gte: "2026-02-01", lt: "2026-03-01" } }
      ),
      { estimated_created_at: { gte: "2026-02-01", lt: "2026-03-01" } }
    )
  })

  it("let nothing pass if they have nothing in common", () => {
    assert.isUndefined(both({ type: ["leak"] }, { type: ["bot"] }))
    assert.isUndefined(both({ severity: ["low"] }, { severity: "high" }))
    assert.isUndefined(both({ status: ["open"] }, { status: ["ignored"] }))
  })
})

describe("the filter of a request", () => {
  it("leaves out what the global search does not support", () => {
    assert.deepStrictEqual(forGlobalSearch({ tags: ["vip"], status: ["open"], severity: "low" }), { severity: "low" })
    assert.deepStrictEqual(forGlobalSearch({ type: ["bot", "no_such_type"] }), { type: ["bot"] })
  })

  it("selects nothing, and not everything, if no type is left", () => {
    assert.isUndefined(forIdentifier({ type: ["bot"] }))
    assert.isUndefined(forGlobalSearch({ type: ["no_such_type"] }))
  })
})

it("is described in a few words", () => {
  assert.strictEqual(inWords({}), "")
  assert.strictEqual(
    inWords({
      severity: "high",
      type: ["stealer_log"],
      estimated_created_at: { gte: "2026-01-31T00:00:00Z" },
      tags: ["vip"]
    }),
    "high or higher · stealer log · since 2026-01-31 · #vip"
  )
})

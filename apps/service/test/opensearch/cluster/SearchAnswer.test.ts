import { assert, describe, it } from "@effect/vitest"
import { hitsIn } from "@threat-exposure/service/opensearch/cluster/SearchAnswer"

const whole = { timed_out: false, _shards: { total: 3, successful: 3, failed: 0 }, hits: { hits: [] } }

describe("an incomplete answer", () => {
  it("is an error that says what to do, and names no unknown time limit", () => {
    assert.deepStrictEqual(hitsIn(whole), [])
    assert.throws(() => hitsIn({ ...whole, timed_out: true }), /^The search was stopped at its time limit: narrow it/u)
    for (const part of [
      { _shards: { total: 3, successful: 2, failed: 1 } },
      { _shards: { total: 3, successful: 2, failed: 0 } },
      { _shards: { total: 0, successful: 0, failed: 0 } },
      { terminated_early: true }
    ]) {
      assert.throws(() => hitsIn({ ...whole, ...part }), /cannot be read at present/u)
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { hitsIn } from "@threat-exposure/service/opensearch/cluster/SearchAnswer"

describe("an incomplete answer", () => {
  it("is an error that says what to do, and names no unknown time limit", () => {
    assert.throws(
      () => hitsIn({ timed_out: true, _shards: { failed: 0 }, hits: { hits: [] } }),
      /^The search was stopped at its time limit: narrow it/u
    )
    assert.throws(() => hitsIn({ timed_out: false, _shards: { failed: 1 } }), /cannot be read at present/u)
  })
})

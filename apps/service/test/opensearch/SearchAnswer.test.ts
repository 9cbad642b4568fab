import { assert, describe, it } from "@effect/vitest"
import { hitsIn } from "@threat-exposure/service/opensearch/SearchAnswer"

describe("an answer that is less than whole", () => {
  it("is an error that says what to do, and names no time limit that nobody knows", () => {
    assert.throws(
      () => hitsIn({ timed_out: true, _shards: { failed: 0 }, hits: { hits: [] } }),
      /^The search was stopped at its time limit: narrow it/u
    )
    assert.throws(() => hitsIn({ timed_out: false, _shards: { failed: 1 } }), /cannot be read at present/u)
  })
})

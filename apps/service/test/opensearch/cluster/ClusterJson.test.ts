import { assert, describe, it } from "@effect/vitest"
import { answerDecoder, AnswerUnreadable } from "@threat-exposure/service/opensearch/cluster/ClusterJson"
import { decodeSearch } from "@threat-exposure/service/opensearch/cluster/SearchAnswer"
import * as Schema from "effect/Schema"

const failureOf = (work: () => unknown): AnswerUnreadable => {
  try {
    work()
  } catch (cause) {
    assert.instanceOf(cause, AnswerUnreadable)
    return cause
  }
  return assert.fail("It was decoded")
}

describe("answerDecoder", () => {
  const decode = answerDecoder(
    "a count",
    Schema.Struct({ count: Schema.Int, _shards: Schema.Struct({ failed: Schema.Int }) })
  )

  it("accepts further members", () => {
    assert.deepStrictEqual(decode('{"count":2,"took":1,"_shards":{"failed":0,"total":1}}'), {
      count: 2,
      _shards: { failed: 0 }
    })
  })

  it("names a proxy's page, and a member that is missing or of another type, but no value", () => {
    const pages = [
      ["<html>planted</html>", "it is not JSON"],
      ['"planted"', "at its root"],
      ['{"_shards":{"failed":0}}', "at count"],
      ['{"count":2,"_shards":{"failed":"planted"}}', "at _shards.failed"]
    ] as const
    for (const [text, where] of pages) {
      const { message } = failureOf(() => decode(text))
      assert.include(message, `its answer to a count is not what it documents (${where})`)
      assert.notInclude(message, "planted")
    }
  })

  it("reads a search without its source or its order", () => {
    const hit = { _id: "1", _score: null }
    const _shards = { total: 1, successful: 1, failed: 0 }
    const answer = { timed_out: false, _shards, hits: { total: { value: 1 }, hits: [hit] } }
    assert.deepStrictEqual(decodeSearch(JSON.stringify(answer)).hits, { hits: [{ _id: "1" }] })
  })
})

import { assert, describe, it } from "@effect/vitest"
import { batchesOf } from "@threat-exposure/service/opensearch/cluster/ClusterTransfer"

describe("batchesOf", () => {
  it("writes 500 documents together, and fewer of large ones", () => {
    const documents = (count: number, text: string) =>
      Array.from({ length: count }, (_, at) => ({ id: String(at), document: { text }, encrypted: {} }))
    const lengths = (count: number, text: string) => [...batchesOf(documents(count, text))].map(({ length }) => length)
    assert.deepStrictEqual(lengths(0, ""), [])
    assert.deepStrictEqual(lengths(1_001, "small"), [500, 500, 1])
    assert.deepStrictEqual(lengths(5, "x".repeat(1_500_000)), [2, 2, 1])
    assert.deepStrictEqual(lengths(2, "x".repeat(3_000_000)), [1, 1])
  })
})

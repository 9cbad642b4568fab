import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { jsonColumn, jsonDecoder } from "../../src/requests/JsonText.ts"

const Names = Schema.Array(Schema.String)
const secret = "correct-horse"

describe("a stored text", () => {
  it("is decoded, alone and in a row", () => {
    assert.deepStrictEqual(jsonDecoder(Names)('["a","b"]'), ["a", "b"])
    const decode = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ names: Schema.NullOr(jsonColumn(Names)) })))
    assert.deepStrictEqual(decode([{ names: '["a"]' }, { names: null }]), [{ names: ["a"] }, { names: null }])
  })

  it("that is not JSON, or of another shape, fails", () => {
    const decode = Schema.decodeUnknownSync(Schema.Struct({ names: jsonColumn(Names) }))
    for (const names of ['["a"', '{"a":1}', 5, null]) assert.throws(() => decode({ names }))
    assert.throws(() => jsonDecoder(Names)('{"a":1}'))
  })

  it("is not quoted by the error", () => {
    assert.throws(() => jsonDecoder(Names)(`${secret}"]`), /^A stored text of 15 characters is not JSON$/u)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { CursorInvalid, cursors } from "@threat-exposure/service/crypto/Cursor"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { Result, Schema } from "effect"

const vault = new Vault(Buffer.alloc(32, 1))
const { decode, encode } = cursors(Schema.Tuple([Schema.Int, Schema.String]))
const refused = Result.fail(new CursorInvalid())

describe("a cursor", () => {
  it("belongs to its listing, whatever the order of the fields of the request", () => {
    const cursor = encode(vault, { a: 1, b: [2] }, [5, "x"])
    assert.deepEqual(decode(vault, { b: [2], a: 1 }, cursor), Result.succeed([5, "x"]))
    assert.deepEqual(decode(vault, { a: 1, b: [3] }, cursor), refused)
    assert.deepEqual(decode(new Vault(Buffer.alloc(32, 2)), { a: 1, b: [2] }, cursor), refused)
  })

  it("of an earlier version is refused as an altered one is", () => {
    const earlier = cursors(Schema.Tuple([Schema.String, Schema.Int]))
    assert.deepEqual(decode(vault, "listing", earlier.encode(vault, "listing", ["1838", 1])), refused)
  })

  it("that is no cursor is refused", () => {
    for (const text of ["", "a", "====", "\u0000", encode(vault, "listing", [5, "x"]).slice(1)]) {
      assert.deepEqual(decode(vault, "listing", text), refused)
    }
  })
})

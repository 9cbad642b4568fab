import { createCipheriv } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decryptCbc, decryptCtr } from "../../src/text/Aes.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const key = fc.constantFrom(16, 24, 32).chain(bytes)

const encrypt = (mode: "cbc" | "ctr", key: Uint8Array, start: Uint8Array, clear: Uint8Array): Uint8Array => {
  const cipher = createCipheriv(`aes-${key.length * 8}-${mode}`, key, start).setAutoPadding(false)
  return Uint8Array.from(Buffer.concat([cipher.update(clear), cipher.final()]))
}

describe("AES decrypts what OpenSSL has encrypted", () => {
  it("in CBC mode", () => {
    fc.assert(
      fc.property(key, bytes(48), (key, clear) => {
        assert.deepStrictEqual(decryptCbc(key, encrypt("cbc", key, new Uint8Array(16), clear)), clear)
      })
    )
  })

  it("in CTR mode, also where the counter overflows", () => {
    const counter = fc.oneof(bytes(16), fc.constant(new Uint8Array(16).fill(255)))
    fc.assert(
      fc.property(key, counter, fc.uint8Array({ maxLength: 60 }), (key, counter, clear) => {
        assert.deepStrictEqual(decryptCtr(key, counter, encrypt("ctr", key, counter, clear)), clear)
      })
    )
  })
})

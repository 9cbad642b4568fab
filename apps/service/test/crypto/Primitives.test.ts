import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { hmacSha256, xchacha20poly1305 } from "@threat-exposure/service/crypto/Primitives"
import { Effect, Schema } from "effect"

const bytes = (hexadecimal: string) => new Uint8Array(Buffer.from(hexadecimal, "hex"))
const hexadecimal = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

describe("xchacha20poly1305", () => {
  const key = bytes("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f")
  const nonce = bytes("404142434445464748494a4b4c4d4e4f5051525354555657")
  const associated = bytes("50515253c0c1c2c3c4c5c6c7")
  const text =
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."

  it("computes the ciphertext of draft-irtf-cfrg-xchacha-03, appendix A.3.1", () => {
    assert.strictEqual(
      hexadecimal(xchacha20poly1305.encrypt(key, nonce, text, associated)),
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e" +
        "c0875924c1c7987947deafd8780acf49"
    )
  })

  it("decrypts only what was encrypted, under the same key, nonce and associated data", () => {
    const ciphertext = Uint8Array.from(xchacha20poly1305.encrypt(key, nonce, text, associated))
    assert.strictEqual(xchacha20poly1305.decrypt(key, nonce, ciphertext, associated).toString(), text)
    const flipped = (from: Uint8Array, at: number) => from.map((byte, index) => (index === at ? byte ^ 1 : byte))
    for (const at of ciphertext.keys()) {
      assert.throws(() => xchacha20poly1305.decrypt(key, nonce, flipped(ciphertext, at), associated))
    }
    for (const at of key.keys()) {
      assert.throws(() => xchacha20poly1305.decrypt(flipped(key, at), nonce, ciphertext, associated))
    }
    for (const at of nonce.keys()) {
      assert.throws(() => xchacha20poly1305.decrypt(key, flipped(nonce, at), ciphertext, associated))
    }
    assert.throws(() => xchacha20poly1305.decrypt(key, nonce, ciphertext, flipped(associated, 0)))
    assert.throws(() => xchacha20poly1305.decrypt(key, nonce, ciphertext.subarray(1), associated))
  })

  it.effect.prop("decrypts any text, bound to any text", [Schema.String, Schema.String], ([text, associated]) =>
    Effect.sync(() => {
      // The second text is longer than the buffer of the encoder.
      for (const given of [text, text.padEnd(5_000, "é")]) {
        const ciphertext = Uint8Array.from(xchacha20poly1305.encrypt(key, nonce, given, associated))
        const decrypted = xchacha20poly1305.decrypt(key, nonce, ciphertext, Buffer.from(associated))
        assert.strictEqual(decrypted.toString(), Buffer.from(given).toString())
      }
    })
  )
})

describe("hmacSha256", () => {
  it("computes the digests of RFC 4231", () => {
    const cases = [
      ["0b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
      [
        Buffer.from("Jefe").toString("hex"),
        "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ],
      [
        "aa".repeat(131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ]
    ] as const
    for (const [key, message, digest] of cases) {
      const hmac = hmacSha256(bytes(key))
      // Twice, because a digest must not change the cached state.
      assert.deepEqual([hexadecimal(hmac(message)), hexadecimal(hmac(message))], [digest, digest])
    }
  })

  it.effect.prop("agrees with node:crypto", [Schema.Array(Schema.String)], ([messages]) =>
    Effect.sync(() => {
      const key = bytes("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20")
      const hmac = hmacSha256(key)
      // The last message is longer than the buffer of the encoder.
      for (const message of [...messages, "é".repeat(5_000)]) {
        assert.strictEqual(hexadecimal(hmac(message)), createHmac("sha256", key).update(message).digest("hex"))
      }
    })
  )
})

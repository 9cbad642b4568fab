/**
 * The primitives for many short messages. Both libraries are audited, and neither makes a native object for a message:
 * with `node:crypto`, the garbage collector has to finalize one per password, and pauses every request for it.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import sodium, { ready } from "libsodium-wrappers"

await ready

/**
 * UTF-8 bytes of short texts, in one buffer that the next call reuses: an allocation for each text would cost as much as its
 * digest. A lone surrogate becomes U+FFFD.
 */
const reusedEncoder = () => {
  const buffer = Buffer.allocUnsafeSlow(4_096)
  return (text: string | Uint8Array): Uint8Array => {
    if (typeof text !== "string") return text
    // A UTF-16 code unit takes at most three bytes.
    return text.length * 3 > buffer.length ? Buffer.from(text) : buffer.subarray(0, buffer.write(text))
  }
}

const textBytes = reusedEncoder()
const associatedBytes = reusedEncoder()

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): the ciphertext, then the tag. */
export const xchacha20poly1305 = {
  nonceLength: sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  tagLength: sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES,

  /** The nonce must never be used twice under one key. */
  encrypt: (key: Uint8Array, nonce: Uint8Array, text: string | Uint8Array, associated: string | Uint8Array) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(textBytes(text), associatedBytes(associated), null, nonce, key),

  /** Throws if anything differs from what was encrypted. */
  decrypt: (key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, associated: string | Uint8Array) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, ciphertext, associatedBytes(associated), nonce, key)
}

/**
 * HMAC-SHA-256 (RFC 2104). The state after the key is kept: for a short message it is half of the work. The next call
 * overwrites the digest.
 */
export const hmacSha256 = (key: Uint8Array): ((message: string | Uint8Array) => Uint8Array<ArrayBuffer>) => {
  const keyed = hmac.create(sha256, key)
  const working = keyed.clone()
  const digest = new Uint8Array(sha256.outputLen)
  return (message) => {
    keyed._cloneInto(working).update(textBytes(message)).digestInto(digest)
    return digest
  }
}

/**
 * The primitives for many short messages. Both libraries are audited, and neither makes a native object for a message:
 * with `node:crypto`, the garbage collector has to finalize one per password, and pauses every request for it.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import sodium, { ready } from "libsodium-wrappers"

await ready

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): the ciphertext, then the tag. */
export const xchacha20poly1305 = {
  nonceLength: sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  tagLength: sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES,

  /** The nonce must never be used twice under one key. */
  encrypt: (key: Uint8Array, nonce: Uint8Array, text: string | Uint8Array, associated: string | Uint8Array) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(text, associated, null, nonce, key),

  /** Throws if anything differs from what was encrypted. */
  decrypt: (key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, associated: string | Uint8Array) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, ciphertext, associated, nonce, key)
}

/** HMAC-SHA-256 (RFC 2104). The state after the key is kept: for a short message it is half of the work. */
export const hmacSha256 = (key: Uint8Array): ((message: string | Uint8Array) => Uint8Array) => {
  const keyed = hmac.create(sha256, key)
  const working = keyed.clone()
  return (message) => {
    const digest = new Uint8Array(sha256.outputLen)
    const bytes = typeof message === "string" ? Buffer.from(message) : message
    keyed._cloneInto(working).update(bytes).digestInto(digest)
    return digest
  }
}

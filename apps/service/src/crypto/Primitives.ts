/**
 * Cryptographic primitives for many short messages, from libsodium compiled to WebAssembly. With `node:crypto`, the
 * garbage collector finalizes an object per message. `libsodium-wrappers` allocates, copies and frees each argument,
 * which takes as long as the work itself.
 */
import { libsodium, ready } from "libsodium-wrappers"

declare module "libsodium-wrappers" {
  /** The functions return 0, or -1 for a failure. A 64-bit length is passed as two numbers, the lower half first. */
  export const libsodium: {
    /** The whole memory. A different object after the memory has grown. */
    readonly HEAPU8: Uint8Array<ArrayBuffer>
    /** Returns 0 if there is no memory left. */
    _malloc(bytes: number): number
    _free(address: number): void
    _crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext: number,
      ciphertextLength: 0,
      text: number,
      textLength: number,
      textLengthHigh: 0,
      associated: number,
      associatedLength: number,
      associatedLengthHigh: 0,
      secretNonce: 0,
      nonce: number,
      key: number
    ): number
    _crypto_aead_xchacha20poly1305_ietf_decrypt(
      text: number,
      textLength: 0,
      secretNonce: 0,
      ciphertext: number,
      ciphertextLength: number,
      ciphertextLengthHigh: 0,
      associated: number,
      associatedLength: number,
      associatedLengthHigh: 0,
      nonce: number,
      key: number
    ): number
    _crypto_kdf_hkdf_sha256_statebytes(): number
    _crypto_kdf_hkdf_sha256_extract_init(state: number, salt: number, saltLength: number): number
    _crypto_kdf_hkdf_sha256_extract_update(state: number, input: number, inputLength: number): number
    _crypto_kdf_hkdf_sha256_extract_final(state: number, key: number): number
  }
}

await ready

const bufferOfMemory = (): Buffer => Buffer.from(libsodium.HEAPU8.buffer)

/** A view of the library's memory, which only `Argument` makes grow. */
let memory = bufferOfMemory()

class Argument {
  #address = 0
  #size = 0

  constructor(bytes = 4_096) {
    this.reserve(bytes)
  }

  get address(): number {
    return this.#address
  }

  /** Makes room for `bytes`. The content is lost if the memory grows. */
  reserve(bytes: number): void {
    if (bytes <= this.#size) return
    libsodium._free(this.#address)
    this.#address = libsodium._malloc(bytes)
    if (this.#address === 0) throw new RangeError(`There is no memory for a message of ${bytes} bytes`)
    this.#size = bytes
    if (memory.buffer !== libsodium.HEAPU8.buffer) memory = bufferOfMemory()
  }

  /** Returns the number of bytes. A string is stored in UTF-8, and a lone surrogate as U+FFFD. */
  set(value: string | Uint8Array): number {
    // A UTF-16 code unit takes at most three bytes.
    this.reserve(typeof value === "string" ? value.length * 3 : value.length)
    if (typeof value === "string") return memory.write(value, this.#address)
    memory.set(value, this.#address)
    return value.length
  }
}

const keyLength = 32
const nonceLength = 24
const tagLength = 16
const digestLength = 32

const text = new Argument()
const ciphertext = new Argument()
const associatedData = new Argument()
const nonceArgument = new Argument(nonceLength)
const keyArgument = new Argument(keyLength)

/** See draft-irtf-cfrg-xchacha-03: ciphertext, then tag. A result is valid until the next call of this module. */
export const xchacha20poly1305 = {
  nonceLength,
  tagLength,

  /** Never use a nonce twice with the same key. */
  encrypt: (
    key: Uint8Array,
    nonce: Uint8Array,
    message: string | Uint8Array,
    associated: string | Uint8Array
  ): Buffer => {
    setKeyAndNonce(key, nonce)
    const length = text.set(message)
    const associatedLength = associatedData.set(associated)
    ciphertext.reserve(length + tagLength)
    libsodium._crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext.address,
      0,
      text.address,
      length,
      0,
      associatedData.address,
      associatedLength,
      0,
      0,
      nonceArgument.address,
      keyArgument.address
    )
    return memory.subarray(ciphertext.address, ciphertext.address + length + tagLength)
  },

  /** Throws if any argument differs from those of the encryption. */
  decrypt: (key: Uint8Array, nonce: Uint8Array, encrypted: Uint8Array, associated: string | Uint8Array): Buffer => {
    setKeyAndNonce(key, nonce)
    const length = ciphertext.set(encrypted)
    const associatedLength = associatedData.set(associated)
    text.reserve(length)
    const result =
      length < tagLength
        ? -1
        : libsodium._crypto_aead_xchacha20poly1305_ietf_decrypt(
            text.address,
            0,
            0,
            ciphertext.address,
            length,
            0,
            associatedData.address,
            associatedLength,
            0,
            nonceArgument.address,
            keyArgument.address
          )
    if (result !== 0) throw new Error("The value was altered, or encrypted with another key or for another context")
    return memory.subarray(text.address, text.address + length - tagLength)
  }
}

const setKeyAndNonce = (key: Uint8Array, nonce: Uint8Array): void => {
  if (key.length !== keyLength || nonce.length !== nonceLength)
    throw new RangeError(`A key has ${keyLength} bytes, and a nonce ${nonceLength}`)
  keyArgument.set(key)
  nonceArgument.set(nonce)
}

/**
 * RFC 2104. Keeps the state after the key, half of the work for a short message. The next call overwrites the digest.
 */
export const hmacSha256 = (key: Uint8Array): ((message: string | Uint8Array) => Uint8Array<ArrayBuffer>) => {
  const stateLength = libsodium._crypto_kdf_hkdf_sha256_statebytes()
  const keyed = new Argument(stateLength)
  const keyBytes = text.set(key)
  libsodium._crypto_kdf_hkdf_sha256_extract_init(keyed.address, text.address, keyBytes)
  const working = new Argument(stateLength)
  const digest = new Uint8Array(digestLength)
  return (message) => {
    const length = text.set(message)
    memory.copyWithin(working.address, keyed.address, keyed.address + stateLength)
    libsodium._crypto_kdf_hkdf_sha256_extract_update(working.address, text.address, length)
    libsodium._crypto_kdf_hkdf_sha256_extract_final(working.address, digestArgument.address)
    memory.copy(digest, 0, digestArgument.address)
    return digest
  }
}

const digestArgument = new Argument(digestLength)

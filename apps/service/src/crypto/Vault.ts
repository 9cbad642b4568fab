/** Root keys are never used directly: HKDF-SHA-256 (RFC 5869) derives a key for each purpose. */
import { hkdfSync, randomFillSync } from "node:crypto"
import { hmacSha256, xchacha20poly1305 } from "./Primitives.ts"

export class Vault {
  /** Distinguishes the keys of one key file; the first byte of all ciphertexts. Reveals nothing about the key. */
  readonly keyId: number
  readonly #encryptionKeys: ReadonlyMap<number, Uint8Array>
  readonly #encryptionKey: Uint8Array
  readonly #index: ReturnType<typeof hmacSha256>
  readonly #macs: Readonly<Record<MacPurpose, ReturnType<typeof hmacSha256>>>
  readonly #nonces = new Uint8Array(nonceLength * 1_024)
  #nextNonce = this.#nonces.length

  /** `otherKeys` are used only to decrypt: during a key rotation, stored data is encrypted with either key. */
  constructor(rootKey: Uint8Array, otherKeys: ReadonlyArray<Uint8Array> = []) {
    this.keyId = keyIdOf(rootKey)
    this.#encryptionKey = deriveKey(rootKey, "encryption")
    this.#encryptionKeys = new Map([
      ...otherKeys.map((key) => [keyIdOf(key), deriveKey(key, "encryption")] as const),
      [this.keyId, this.#encryptionKey]
    ])
    this.#index = hmacSha256(deriveKey(rootKey, "blind-index"))
    this.#macs = {
      cursor: hmacSha256(deriveKey(rootKey, "cursor")),
      "access-token": hmacSha256(deriveKey(rootKey, "access-token"))
    }
  }

  /**
   * XChaCha20-Poly1305: key id, nonce, ciphertext and tag, 41 bytes longer than the text. `context` names column and
   * row, and is authenticated, so a value that was copied to another row cannot be decrypted.
   */
  encrypt(text: string, context: string): Uint8Array {
    return new Uint8Array(this.#encryptText(text, context))
  }

  encryptToBase64(text: string, context: string): string {
    return this.#encryptText(text, context).toString("base64")
  }

  /** Takes bytes or their base64. Throws if they were altered, or encrypted with another key or for another context. */
  decrypt(encrypted: Uint8Array | string, context: string): string {
    return this.decryptToBytes(encrypted, context).toString()
  }

  /** The plaintext in UTF-8, without a copy: the next call of any method overwrites it. */
  decryptToBytes(encrypted: Uint8Array | string, context: string): Buffer {
    const bytes = typeof encrypted === "string" ? bytesOfBase64(encrypted) : encrypted
    const key = this.#encryptionKeys.get(bytes[0] ?? 0)
    if (key === undefined || bytes.length < minimumLength) throw new ValueForeign(context)
    const nonce = bytes.subarray(1, headerLength)
    try {
      return xchacha20poly1305.decrypt(key, nonce, bytes.subarray(headerLength), context)
    } catch (cause) {
      throw cause instanceof RangeError ? cause : new ValueForeign(context)
    }
  }

  /** Sixteen bytes of an HMAC-SHA-256. `purpose` separates equal values of two columns; it contains no NUL. */
  blindIndex(purpose: string, value: string): Uint8Array {
    return this.#index(indexInput(purpose, value)).slice(0, 16)
  }

  /** Eight bytes: among ten million values, two have the same index with a probability of three in a million. */
  blindIndex64(purpose: string, value: string): bigint {
    const digest = this.#index(indexInput(purpose, value))
    return new DataView(digest.buffer).getBigInt64(0)
  }

  /** Sixteen bytes of an HMAC-SHA-256, to authenticate data that clients send back. Each purpose has its own key. */
  mac(purpose: MacPurpose, text: string): Uint8Array {
    return this.#macs[purpose](text).slice(0, 16)
  }

  /** Returns a buffer that the next call overwrites. */
  #encryptText(text: string, context: string): Buffer {
    const nonce = this.#nonce()
    const ciphertext = xchacha20poly1305.encrypt(this.#encryptionKey, nonce, text, context)
    const bytes = scratchOf(headerLength + ciphertext.length)
    bytes[0] = this.keyId
    bytes.set(nonce, 1)
    bytes.set(ciphertext, headerLength)
    return bytes
  }

  /** Random bytes for many nonces at once: one call of the generator per nonce would cost as much as the encryption. */
  #nonce(): Uint8Array {
    if (this.#nextNonce === this.#nonces.length) {
      randomFillSync(this.#nonces)
      this.#nextNonce = 0
    }
    return this.#nonces.subarray(this.#nextNonce, (this.#nextNonce += nonceLength))
  }
}

/** No key of the key file decrypts a value: this program did not write it, or wrote it for another context. */
export class ValueForeign extends Error {
  readonly table: string
  readonly id: string

  /** Keeps the table and id of contexts such as `identifiers.asset/7`; other contexts may contain words of an event. */
  constructor(context: string) {
    const [, table = "the database", id = "a value"] = /^(\w+)\.\w+\/(.*)$/su.exec(context) ?? []
    super("No key of the key file decrypts a value")
    this.table = table
    this.id = id
  }
}

export type MacPurpose = "access-token" | "cursor"

const { nonceLength, tagLength } = xchacha20poly1305
const headerLength = 1 + nonceLength
const minimumLength = headerLength + tagLength

const bytesOfBase64 = (text: string): Buffer => {
  const bytes = scratchOf(Buffer.byteLength(text, "base64"))
  bytes.write(text, "base64")
  return bytes
}

/** Reusable memory for one encrypted value: a buffer per value would be most of the garbage of a load or of a page. */
const scratchOf = (length: number): Buffer => {
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length)
  return scratch.subarray(0, length)
}

let scratch = Buffer.allocUnsafeSlow(4_096)

const deriveKey = (rootKey: Uint8Array, purpose: string, length = 32): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", rootKey, "", `threat-exposure/2/${purpose}`, length))

const keyIdOf = (rootKey: Uint8Array): number => deriveKey(rootKey, "key-id", 1)[0] ?? 0

const indexInput = (purpose: string, value: string): string => `${purpose}\0${escapeLoneSurrogates(value)}`

/** Escapes lone surrogates, which would all become the same character in UTF-8. */
const escapeLoneSurrogates = (value: string): string => (value.isWellFormed() ? value : `\0${JSON.stringify(value)}`)

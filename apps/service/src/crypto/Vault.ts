/**
 * What is secret in the database, under keys that are never in it.
 *
 * The key file holds 32 random bytes in hexadecimal. Each use has a key of its own, derived with HKDF: sealing (AES-256-GCM,
 * a fresh nonce for every value), blind indexes (HMAC-SHA-256), terms and cursors (SHA-512/256 behind the key).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomFillSync
} from "node:crypto"
import { Gcm, type Messages, nonceLength, tagLength } from "./Gcm.ts"

export class Vault {
  readonly #sealing: KeyObject
  readonly #gcm: Gcm
  readonly #index: KeyObject
  readonly #cursors: string
  readonly #terms: string
  readonly #nonces = new Uint8Array(nonceLength * 1_024)
  #nextNonce = this.#nonces.length

  constructor(root: Uint8Array) {
    const derived = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", root, "", `threat-exposure/${purpose}`, 32)))
    this.#sealing = derived("sealing")
    this.#gcm = new Gcm(this.#sealing)
    this.#index = derived("blind-index")
    this.#cursors = derived("cursor").export().toString("hex")
    this.#terms = derived("terms").export().toString("hex")
  }

  /** Nonce, ciphertext and tag: 28 bytes longer than the text in UTF-8, which must be able to hold it: no lone surrogates. */
  seal(text: string): Uint8Array {
    const nonce = this.#nonce()
    const cipher = createCipheriv("aes-256-gcm", this.#sealing, nonce)
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  }

  /** Each text as `seal` does it: many short ones cost a fraction of one at a time. */
  sealAll(texts: ReadonlyArray<string>): Messages {
    const ends = new Uint32Array(texts.length)
    let end = 0
    for (const [at, text] of texts.entries()) ends[at] = end += nonceLength + Buffer.byteLength(text) + tagLength
    const bytes = Buffer.allocUnsafe(end)
    let start = 0
    for (const [at, text] of texts.entries()) {
      bytes.set(this.#nonce(), start)
      bytes.write(text, start + nonceLength)
      start = ends[at] ?? end
    }
    this.#gcm.encrypt({ bytes, ends })
    return { bytes, ends }
  }

  /** Drawn many at a time: one at a time they cost as much as the sealing. */
  #nonce(): Uint8Array {
    if (this.#nextNonce === this.#nonces.length) {
      randomFillSync(this.#nonces)
      this.#nextNonce = 0
    }
    return this.#nonces.subarray(this.#nextNonce, (this.#nextNonce += nonceLength))
  }

  /** Throws where the bytes were altered or sealed under another key. */
  unseal(sealed: Uint8Array): string {
    const tagAt = sealed.length - tagLength
    const decipher = createDecipheriv("aes-256-gcm", this.#sealing, sealed.subarray(0, nonceLength), {
      authTagLength: tagLength
    })
    decipher.setAuthTag(sealed.subarray(tagAt))
    return decipher.update(sealed.subarray(nonceLength, tagAt), undefined, "utf8") + decipher.final("utf8")
  }

  /** Each value as `unseal` does it, from hexadecimal digits. */
  unsealAll(sealed: ReadonlyArray<string>): ReadonlyArray<string> {
    const ends = new Uint32Array(sealed.length)
    let end = 0
    for (const [at, digits] of sealed.entries()) ends[at] = end += digits.length / 2
    const bytes = Buffer.allocUnsafe(end)
    for (const [at, digits] of sealed.entries()) bytes.write(digits, (ends[at] ?? 0) - digits.length / 2, "hex")
    this.#gcm.decrypt({ bytes, ends })
    return sealed.map((digits, at) => {
      const valueEnd = ends[at] ?? 0
      return bytes.toString("utf8", valueEnd - digits.length / 2 + nonceLength, valueEnd - tagLength)
    })
  }

  /**
   * Sixteen bytes by which an exact value can be found without being stored. `purpose` keeps equal values of two columns
   * apart.
   */
  blindIndex(purpose: string, value: string): Uint8Array {
    return createHmac("sha256", this.#index)
      .update(`${purpose}\0${exact(value)}`)
      .digest()
      .subarray(0, 16)
  }

  /**
   * A blind index of eight bytes, for tables of many millions of rows: among ten million values, two share one with a
   * chance of three in a million.
   */
  term(kind: string, value: string): bigint {
    return keyedHash(this.#terms, `${kind}\0${exact(value)}`).readBigInt64BE(0)
  }

  /** Authenticates what is handed out and comes back: cursors. Sixteen bytes. */
  signature(text: string): Uint8Array {
    return keyedHash(this.#cursors, text).subarray(0, 16)
  }
}

/**
 * One-shot, without a context object: a fifth of the time of an HMAC. A key in front is enough of a MAC here, for
 * SHA-512/256 hides half of its state and so cannot be extended.
 */
const keyedHash = (key: string, text: string): Buffer => hash("sha512-256", `${key}${text}`, "buffer")

/** Lone surrogates would all be the same character in UTF-8. */
const exact = (value: string): string => (value.isWellFormed() ? value : `\0${JSON.stringify(value)}`)

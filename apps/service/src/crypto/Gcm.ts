/**
 * AES-256-GCM (NIST SP 800-38D) for many short messages at once: the passwords of a page, or of a load.
 *
 * `node:crypto` makes two objects for each message, which the garbage collector must dispose of one by one. For a password
 * they cost several times what its encryption does, and the pauses are felt by every request. Its AES is used here too, in
 * one call for all messages; the counting and the authentication (GHASH) around it are done here.
 */
import { type Cipheriv, createCipheriv, type KeyObject } from "node:crypto"

export const nonceLength = 12
export const tagLength = 16

/** One after the other, each as nonce, text and tag; message `n` ends at `ends[n]`. */
export interface Messages {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

export class Gcm {
  readonly #aes: Cipheriv
  readonly #multiples: Int32Array
  /** Of GHASH: the same sixteen bytes, as bytes and as words. */
  readonly #state = new Uint8Array(blockLength)
  readonly #words = new Int32Array(this.#state.buffer)

  constructor(key: KeyObject) {
    this.#aes = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false)
    this.#multiples = multiplesOf(this.#aes.update(new Uint8Array(blockLength)))
  }

  /** In place: the nonces are there, each used once in the life of the key; the tags are written. */
  encrypt({ bytes, ends }: Messages): void {
    const stream = this.#keystream({ bytes, ends })
    let start = 0
    let block = 0
    for (const end of ends) {
      const tag = end - tagLength
      combine(bytes, start + nonceLength, tag, stream, block + blockLength)
      this.#hash(bytes, start + nonceLength, tag)
      bytes.set(this.#state, tag)
      combine(bytes, tag, end, stream, block)
      block += blockLength * blocksOf(end - start)
      start = end
    }
  }

  /** In place. Throws where a message was altered or encrypted under another key. */
  decrypt({ bytes, ends }: Messages): void {
    const stream = this.#keystream({ bytes, ends })
    let start = 0
    let block = 0
    for (const end of ends) {
      const tag = end - tagLength
      this.#hash(bytes, start + nonceLength, tag)
      combine(bytes, tag, end, stream, block)
      let difference = 0
      for (let at = 0; at < tagLength; at += 1) difference |= (this.#state[at] ?? 0) ^ (bytes[tag + at] ?? 0)
      if (difference !== 0) throw altered()
      combine(bytes, start + nonceLength, tag, stream, block + blockLength)
      block += blockLength * blocksOf(end - start)
      start = end
    }
  }

  /** Of each message the block that hides its tag, then those that hide its text. */
  #keystream({ bytes, ends }: Messages): Uint8Array {
    let blocks = 0
    let start = 0
    for (const end of ends) {
      if (end - start < nonceLength + tagLength) throw altered()
      blocks += blocksOf(end - start)
      start = end
    }
    const counters = Buffer.allocUnsafe(blocks * blockLength)
    let at = 0
    start = 0
    for (const end of ends) {
      for (let count = 1; count <= blocksOf(end - start); count += 1) {
        for (let byte = 0; byte < nonceLength; byte += 1) counters[at + byte] = bytes[start + byte] ?? 0
        counters.writeUInt32BE(count, at + nonceLength)
        at += blockLength
      }
      start = end
    }
    return this.#aes.update(counters)
  }

  /** GHASH of a ciphertext, in `#state`. */
  #hash(bytes: Uint8Array, start: number, end: number): void {
    const state = this.#state
    state.fill(0)
    for (let block = start; block < end; block += blockLength) {
      combine(state, 0, Math.min(blockLength, end - block), bytes, block)
      this.#multiply()
    }
    const bits = (end - start) * 8
    for (let byte = 0; byte < 4; byte += 1) state[12 + byte] = (state[12 + byte] ?? 0) ^ (bits >>> (24 - byte * 8))
    this.#multiply()
  }

  /** The state by the hash key, in GF(2^128): the sum of what each half of each byte of it comes to. */
  #multiply(): void {
    const multiples = this.#multiples
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let byte = 0; byte < blockLength; byte += 1) {
      const value = this.#state[byte] ?? 0
      const high = (byte * 32 + (value >>> 4)) * 4
      const low = (byte * 32 + 16 + (value & 15)) * 4
      a ^= (multiples[high] ?? 0) ^ (multiples[low] ?? 0)
      b ^= (multiples[high + 1] ?? 0) ^ (multiples[low + 1] ?? 0)
      c ^= (multiples[high + 2] ?? 0) ^ (multiples[low + 2] ?? 0)
      d ^= (multiples[high + 3] ?? 0) ^ (multiples[low + 3] ?? 0)
    }
    this.#words[0] = a
    this.#words[1] = b
    this.#words[2] = c
    this.#words[3] = d
  }
}

const blockLength = 16

const blocksOf = (length: number): number => 1 + Math.ceil((length - nonceLength - tagLength) / blockLength)

const altered = () => new Error("A sealed value was altered, or sealed under another key")

/** Exclusive or, in place. */
const combine = (bytes: Uint8Array, start: number, end: number, others: Uint8Array, otherStart: number): void => {
  for (let at = start; at < end; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (others[otherStart + at - start] ?? 0)
}

/** The product of the hash key with every value (0 to 15) of every half byte (0 to 31) of a block: sixteen bytes for each. */
const multiplesOf = (hashKey: Buffer): Int32Array => {
  let power = BigInt(`0x${hashKey.toString("hex")}`)
  const powers = Array.from({ length: blockLength * 8 }, () => {
    const present = power
    power = (present >> 1n) ^ ((present & 1n) === 1n ? 0xe1n << 120n : 0n)
    return present
  })
  const products = Array.from({ length: 32 * 16 }, (_, at) => {
    const bits = powers.slice((at >> 4) * 4, (at >> 4) * 4 + 4)
    return bits.reduce((sum, bit, place) => ((at & (8 >> place)) === 0 ? sum : sum ^ bit), 0n)
  })
  const bytes = Buffer.from(products.map((product) => product.toString(16).padStart(32, "0")).join(""), "hex")
  return new Int32Array(new Uint8Array(bytes).buffer)
}

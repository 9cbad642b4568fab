/** Numbers addresses from 0, so that their fields can be kept in arrays. */
import { randomBytes } from "node:crypto"

/**
 * Keeps all addresses in one buffer, with a hash table of their numbers: a third of the memory of a `Map`. Addresses
 * are compared as UTF-8, in which all lone surrogates are equal.
 */
export class AddressIndex {
  #bytes = Buffer.alloc(2 ** 16)
  /** The end of each address in the buffer. */
  readonly #ends: Array<number> = []
  /**
   * Hash table with open addressing: the number of an address plus 1, or 0 for an empty slot. At most half of the slots
   * are used.
   */
  #slots = new Uint32Array(2 ** 10)
  /**
   * A random seed, because addresses come from strangers, who must not be able to choose addresses with equal hashes.
   */
  readonly #seed = randomBytes(4).readInt32LE()

  get size(): number {
    return this.#ends.length
  }

  /** The number of the address; undefined if it was not added. */
  find(address: string): number | undefined {
    const slot = this.#slots[this.#slotOf(this.#write(address))] ?? 0
    return slot === 0 ? undefined : slot - 1
  }

  /** Returns the number of the address: {@link size} before the call if the address is new. */
  add(address: string): number {
    const end = this.#write(address)
    const slot = this.#slotOf(end)
    const known = this.#slots[slot] ?? 0
    if (known !== 0) return known - 1
    const added = this.#ends.push(end)
    this.#slots[slot] = added
    if (added * 2 > this.#slots.length) this.#enlargeTable()
    return added - 1
  }

  addressOf(index: number): string {
    return this.#bytes.toString("utf8", this.#ends[index - 1] ?? 0, this.#ends[index])
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = 0; index < this.size; index += 1) yield this.addressOf(index)
  }

  /** Compares the addresses byte by byte; the result is negative, 0 or positive. */
  compare(a: number, b: number): number {
    const startOf = (index: number) => this.#ends[index - 1] ?? 0
    return this.#bytes.compare(this.#bytes, startOf(b), this.#ends[b], startOf(a), this.#ends[a])
  }

  /** Writes the address after the last one without adding it, and returns its end. */
  #write(address: string): number {
    const start = this.#ends.at(-1) ?? 0
    const needed = start + address.length * 3
    if (needed > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(needed, Math.ceil(this.#bytes.length * 1.5)))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    return start + this.#bytes.write(address, start)
  }

  /** The slot of the address that {@link #write} wrote last, or the empty slot for it. */
  #slotOf(end: number): number {
    const start = this.#ends.at(-1) ?? 0
    const mask = this.#slots.length - 1
    let slot = this.#hash(start, end) & mask
    for (;;) {
      const known = this.#slots[slot] ?? 0
      if (known === 0 || this.#isAt(known - 1, start, end)) return slot
      slot = (slot + 1) & mask
    }
  }

  #isAt(index: number, start: number, end: number): boolean {
    let at = this.#ends[index - 1] ?? 0
    if ((this.#ends[index] ?? 0) - at !== end - start) return false
    for (let byte = start; byte < end; byte += 1, at += 1) if (this.#bytes[byte] !== this.#bytes[at]) return false
    return true
  }

  /** FNV-1a with a final mix, so that the low bits depend on all bytes. */
  #hash(start: number, end: number): number {
    let hash = this.#seed
    for (let byte = start; byte < end; byte += 1) hash = Math.imul(hash ^ (this.#bytes[byte] ?? 0), 0x0100_0193)
    return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 7
  }

  #enlargeTable(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    let start = 0
    for (const [index, end] of this.#ends.entries()) {
      let slot = this.#hash(start, end) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = index + 1
      start = end
    }
  }
}

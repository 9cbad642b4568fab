/**
 * Finds every run of at least eight bytes that a text shares with any of many values, and shorter values as a whole.
 *
 * The index contains five bytes at every fourth position of each value, because every run of eight bytes contains such
 * five. The scan looks up every five bytes of the text, compares the three bytes before and after, and joins
 * overlapping matches. The work per byte of text and of values is bounded: a bucket of the index has at most {@link
 * maxChain} positions. If a bucket is full, for example because of a value with many similar parts, whole runs at
 * further positions are in a hash table.
 */
import { type Bytes, fold } from "./Escapes.ts"

/** A run of this many bytes of a secret is a match. */
export const minRun = 8

/** A run of this many bytes is a match even for values that otherwise only match as a whole. */
export const maxRun = 64

export interface Form {
  /** The bytes after {@link fold}. */
  readonly bytes: Uint8Array
  /** Whether the original value is ASCII. */
  readonly isAscii: boolean
  /** Minimum length of a matching run: `minRun` for secrets, the whole length for other values, at most `maxRun`. */
  readonly needed: number
  /** Ranges that are not secret by themselves, in ascending order: a run inside one of them is no match. */
  readonly ordinary: ReadonlyArray<readonly [start: number, end: number]>
}

/** Receives a matching part. It only counts if it is, joined with overlapping parts, at least `needed` bytes long. */
export type Emit = (start: number, end: number, needed: number) => void

const gram = 5
const stride = minRun - gram + 1
const reach = minRun - gram
const maxChain = 12
const separator = 0xff

export class GramIndex {
  /** Number of comparisons, for tests that check that the work is linear. */
  comparisons = 0
  /** Length of the shortest form. */
  readonly shortest: number

  /** All values in one array, each at a multiple of the stride, with separators in between. */
  readonly #pool: Uint8Array
  readonly #starts: Int32Array
  readonly #forms: ReadonlyArray<Form>
  /** Ranges of ordinary parts in the pool, in ascending order. */
  readonly #ordinary: ReadonlyArray<readonly [start: number, end: number]>
  /** Per bucket, the last position divided by the stride; 0 if it is empty. */
  readonly #heads: Int32Array
  /** Per position divided by the stride, the next position in the same bucket. */
  readonly #nexts: Int32Array
  readonly #filter: Int32Array
  /** A Bloom filter of the grams of all values. */
  readonly #gramFilter: Int32Array
  readonly #gramShift: number
  /** Every match contains a gram at a multiple of this number. */
  readonly #step: number
  readonly #bucketShift: number
  readonly #filterShift: number
  /** Full buckets, whose further positions are in {@link #runs}. */
  readonly #crowded = new Set<number>()
  /** Minimum length of a run, by the run's hash. */
  readonly #runs = new Map<number, number>()
  /** Forms that are shorter than a gram, each as one number. */
  readonly #short = new Map<number, number>()

  #runStart = -1
  #runEnd = -1
  #runNeeded = maxRun

  constructor(forms: ReadonlyArray<Form>) {
    this.#forms = forms.filter(({ bytes }) => bytes.length >= gram)
    this.#starts = new Int32Array(this.#forms.length)
    this.shortest = forms.reduce((least, { bytes }) => Math.min(least, bytes.length), Infinity)
    let size: number = stride
    this.#forms.forEach(({ bytes }, i) => {
      this.#starts[i] = size
      size += Math.ceil((bytes.length + 1) / stride) * stride
    })
    this.#pool = new Uint8Array(size + minRun).fill(separator)
    const ordinary: Array<readonly [number, number]> = []
    this.#forms.forEach((form, i) => {
      const start = this.#starts[i] ?? 0
      this.#pool.set(form.bytes, start)
      for (const [from, to] of form.ordinary) ordinary.push([start + from, start + to])
    })
    this.#ordinary = ordinary
    const bucketBits = Math.max(4, Math.floor(Math.log2(size / stride)))
    const wordBits = Math.max(4, Math.min(20, Math.floor(Math.log2(size)) - 1))
    this.#gramShift = 32 - wordBits
    this.#gramFilter = new Int32Array(1 << wordBits)
    this.#step = this.shortest >= minRun ? 4 : this.shortest > gram ? 2 : 1
    const filterBits = Math.min(bucketBits + 5, 24)
    this.#bucketShift = 32 - bucketBits
    this.#filterShift = 32 - filterBits
    this.#heads = new Int32Array(1 << bucketBits)
    this.#nexts = new Int32Array(Math.ceil(size / stride) + 1)
    this.#filter = new Int32Array(1 << (filterBits - 5))
    const lengths = new Uint8Array(this.#heads.length)
    this.#forms.forEach(({ bytes, needed }, i) => {
      const start = this.#starts[i] ?? 0
      this.#add(start, start + bytes.length, needed, lengths)
      this.#addGrams(bytes)
    })
    for (const { bytes } of forms)
      if (bytes.length < gram) this.#short.set(shortKey(bytes, 0, bytes.length), bytes.length)
  }

  /** Adds the positions of one form; `lengths` are the lengths of the buckets' chains. */
  #add(start: number, end: number, needed: number, lengths: Uint8Array): void {
    const pool = this.#pool
    for (let at = start; at + gram <= end; at += stride) {
      let hash = 0
      for (let i = at; i < at + gram; i++) hash = ((hash << hashShift) + (weights[pool[i] ?? 0] ?? 0)) | 0
      const bit = hash >>> this.#filterShift
      this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31))
      const bucket = hash >>> this.#bucketShift
      const head = this.#heads[bucket] ?? 0
      const length = lengths[bucket] ?? 0
      if (length >= maxChain / 2 && this.#isKnown(at, head, needed)) continue
      if (length === maxChain) this.#crowd(bucket, at, start, end)
      else {
        this.#nexts[at / stride] = head
        this.#heads[bucket] = at / stride
        lengths[bucket] = length + 1
      }
    }
  }

  #addGrams(bytes: Uint8Array): void {
    const filter = this.#gramFilter
    const shift = this.#gramShift
    let word = bytes.length < gram ? 0 : tailWord(bytes, 0)
    for (let at = 4; at < bytes.length; at++) {
      const next = bytes[at] ?? 0
      const hash = gramHash(word, next)
      word = (word >>> 8) | (next << 24)
      filter[hash >>> shift] = (filter[hash >>> shift] ?? 0) | gramBits(hash)
    }
  }

  #isKnown(at: number, head: number, needed: number): boolean {
    let entry = head
    while (entry !== 0 && !this.#isRepeated(at, entry * stride, needed)) entry = this.#nexts[entry] ?? 0
    return entry !== 0
  }

  /** Whether `other` already matches everything that the position `at` could match. */
  #isRepeated(at: number, other: number, needed: number): boolean {
    this.comparisons++
    for (let i = -reach; i < gram + reach; i++) if (this.#pool[at + i] !== this.#pool[other + i]) return false
    const form = this.#forms[this.#formAt(other)]
    return form !== undefined && form.needed <= needed && form.ordinary.length === 0
  }

  #crowd(bucket: number, at: number, start: number, end: number): void {
    this.#crowded.add(bucket)
    const length = Math.min(minRun, end - start)
    for (let from = Math.max(start, at - reach); from <= at && from + length <= end; from++) {
      const key = runKey(this.#pool, from, length)
      this.#runs.set(key, Math.min(this.#runs.get(key) ?? maxRun, this.#neededFor(from, from + length)))
    }
  }

  /**
   * Calls `emit` with the matching parts of `source` in ascending order. Values shorter than `minLength` bytes are
   * ignored.
   */
  scan(source: Bytes, minLength: number, emit: Emit): void {
    const { bytes, length } = source
    if (this.#short.size > 0) this.#scanShort(bytes, length, minLength, emit)
    this.#runStart = -1
    this.#runEnd = -1
    let checked = 0
    for (let at = this.#nextGram(source, 0); at < length; at = this.#nextGram(source, at + this.#step)) {
      const last = Math.min(at + reach, length - gram)
      for (let i = Math.max(checked, at - reach); i <= last; i++) this.#probe(bytes, i, length, minLength, emit)
      checked = at + reach + 1
    }
    this.#emitRun(emit)
  }

  /** The first multiple of the step, not before `from`, where a gram of a value may begin. */
  #nextGram({ bytes, length, words }: Bytes, from: number): number {
    const filter = this.#gramFilter
    const shift = this.#gramShift
    const step = this.#step * 8
    for (let at = from & ~3; at + gram <= length; at += 4) {
      const word = wordAt(words, at >> 2)
      const next = at + 8 <= bytes.length ? wordAt(words, (at >> 2) + 1) : tailWord(bytes, at + 4)
      for (let bit = at < from ? (from - at) * 8 : 0; bit < 32; bit += step) {
        // The five bytes from this bit on: four in `low`, and the first byte of the rest of `next`.
        const low = bit === 0 ? word : (word >>> bit) | (next << (32 - bit))
        const hash = gramHash(low, (next >>> bit) & 0xff)
        const bits = gramBits(hash)
        if (((filter[hash >>> shift] ?? 0) & bits) === bits) return at + (bit >> 3)
      }
    }
    return length
  }

  #join(start: number, end: number, needed: number, emit: Emit): void {
    if (start > this.#runEnd) {
      this.#emitRun(emit)
      this.#runStart = start
      this.#runEnd = end
      this.#runNeeded = needed
      return
    }
    this.#runStart = Math.min(this.#runStart, start)
    this.#runEnd = Math.max(this.#runEnd, end)
    this.#runNeeded = Math.min(this.#runNeeded, needed)
  }

  #emitRun(emit: Emit): void {
    if (this.#runEnd !== -1) emit(this.#runStart, this.#runEnd, this.#runNeeded)
  }

  #probe(bytes: Uint8Array, at: number, to: number, minLength: number, emit: Emit): void {
    let hash = 0
    for (let i = at; i < at + gram; i++) hash = ((hash << hashShift) + (weights[bytes[i] ?? 0] ?? 0)) | 0
    const bit = hash >>> this.#filterShift
    if (((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return
    const pool = this.#pool
    const bucket = hash >>> this.#bucketShift
    for (let entry = this.#heads[bucket] ?? 0; entry !== 0; entry = this.#nexts[entry] ?? 0) {
      const position = entry * stride
      this.comparisons++
      let length = 0
      while (length < gram && fold[bytes[at + length] ?? 0] === pool[position + length]) length++
      if (length < gram) continue
      let before = 0
      while (before < reach && before < at && fold[bytes[at - before - 1] ?? 0] === pool[position - before - 1])
        before++
      while (length < minRun && at + length < to && fold[bytes[at + length] ?? 0] === pool[position + length]) length++
      const isWhole = pool[position - before - 1] === separator && pool[position + length] === separator
      if (before + length < minRun && (!isWhole || before + length < minLength)) continue
      this.#join(at - before, at + length, this.#neededFor(position - before, position + length), emit)
    }
    if (this.#crowded.has(bucket)) this.#probeRuns(bytes, at, to, minLength, emit)
  }

  #probeRuns(bytes: Uint8Array, at: number, to: number, minLength: number, emit: Emit): void {
    for (let length = minRun; length >= Math.max(gram, minLength, this.shortest); length--) {
      for (let start = length < minRun ? at : Math.max(0, at - reach); start <= at && start + length <= to; start++) {
        this.comparisons++
        const needed = this.#runs.get(runKey(bytes, start, length))
        if (needed !== undefined) this.#join(start, start + length, needed, emit)
      }
    }
  }

  /** Minimum length of a run that contains this part of the pool. */
  #neededFor(start: number, end: number): number {
    const form = this.#forms[this.#formAt(start)]
    if (form === undefined) return maxRun
    if (form.ordinary.length === 0) return form.needed
    const part = this.#ordinary[lastBefore(this.#ordinary.length, (i) => (this.#ordinary[i]?.[0] ?? 0) <= start)]
    return part !== undefined && end <= part[1] ? Math.min(maxRun, form.bytes.length) : form.needed
  }

  #formAt(position: number): number {
    return lastBefore(this.#starts.length, (i) => (this.#starts[i] ?? 0) <= position)
  }

  #scanShort(bytes: Uint8Array, to: number, minLength: number, emit: Emit): void {
    for (let start = 0; start < to; start++) {
      for (let length = Math.max(1, minLength); length < gram && start + length <= to; length++) {
        if (this.#short.has(shortKey(bytes, start, length))) emit(start, start + length, length)
      }
    }
  }
}

/** Four bytes as a word, the first byte in the lowest bits. */
const wordOf = (a: number, b: number, c: number, d: number): number => a | (b << 8) | (c << 16) | (d << 24)

const wordAt = (words: Int32Array, index: number): number => {
  const word = words[index] ?? 0
  return isLittleEndian ? word : wordOf(word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff)
}

const tailWord = (bytes: Uint8Array, at: number): number =>
  wordOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0)

const isLittleEndian = new Uint8Array(Int32Array.of(1).buffer)[0] === 1

/** Set in all lower-case letters, and clear in upper-case ones. Other bytes that become equal are compared later. */
const lowerCase = 0x20202020

const gramHash = (word: number, last: number): number => {
  const mixed = Math.imul(Math.imul(word | lowerCase, 0x9e3779b1 | 0) ^ (last | 0x20), 0x85ebca6b | 0)
  return mixed ^ (mixed >>> 15)
}

/** Two bits of a hash within its word of the filter, so that few words match by chance. */
const gramBits = (hash: number): number => (1 << (hash & 31)) | (1 << ((hash >>> 5) & 31))

/** The last index for which `holds`, true up to that index and false after it; -1 if it is never true. */
const lastBefore = (length: number, holds: (index: number) => boolean): number => {
  let low = -1
  let high = length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

/** Five shifts by this many bits move a byte out of the hash, so that none has to be subtracted. */
const hashShift = 7

/** A pseudo-random number per byte; bytes that are compared as equal have the same number. */
const weights = Int32Array.from({ length: 256 }, (_, byte) => {
  let mixed = Math.imul((fold[byte] ?? 0) + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
})

const runKey = (bytes: Uint8Array, start: number, length: number): number => {
  let low = length
  let high = 0
  for (let i = start; i < start + length; i++) {
    const weight = weights[bytes[i] ?? 0] ?? 0
    low = Math.imul(low ^ weight, 0x01000193)
    high = Math.imul(high + weight, 0x9e3779b1) ^ (high >>> 15)
  }
  return (low >>> 0) * 2 ** 21 + (high >>> 11)
}

const shortKey = (bytes: Uint8Array, start: number, length: number): number => {
  let key = length
  for (let i = start; i < start + length; i++) key = key * 256 + (fold[bytes[i] ?? 0] ?? 0)
  return key
}

/**
 * Terms of written rows, kept until they are inserted in the order of their index, so that each page of the file is
 * changed once for many terms. Columns of numbers outside the heap, 12 bytes per term.
 */
import { freeBuffer } from "../../load/RecordChunks.ts"
import type { Connection } from "../database/Connection.ts"
import type { Steps } from "../database/Steps.ts"
import { tableForEntries } from "./TermRuns.ts"
import type { CredentialBatch } from "../../credentials/CredentialBatch.ts"

export class PendingTerms {
  #importedAts = new Float64Array()
  #versions = new BigInt64Array()
  #rowCount = 0
  #terms = new BigInt64Array()
  /** The index of the row of each term. */
  #rows = new Uint32Array()
  #count = 0
  #isRepeated = false

  /** Adds the terms of a row in the batch. `version` is the version under which it is stored. */
  add({ importedAts, termEnds, terms }: CredentialBatch, row: number, version: bigint): void {
    const start = termEnds[row - 1] ?? 0
    const end = termEnds[row] ?? start
    this.#reserve(end - start)
    for (let at = start; at < end; at += 1) {
      this.#terms[this.#count] = terms[at] ?? 0n
      this.#rows[this.#count] = this.#rowCount
      this.#count += 1
    }
    this.#importedAts[this.#rowCount] = importedAts[row] ?? 0
    this.#versions[this.#rowCount] = version
    this.#rowCount += 1
  }

  /** Records that the last added row replaced an earlier one with the same version. */
  repeats(): void {
    this.#isRepeated = true
  }

  *insert(connection: Connection): Steps<void> {
    if (this.#count === 0) return this.#clear()
    const table = tableForEntries(connection, this.#count)
    if (this.#isRepeated) this.#omitReplaced()
    const ranks = this.#ranks()
    yield
    const ends = this.#distribute()
    yield
    const insertMany = connection.prepareWrite(termInsert(table, termsAtOnce))
    const values: Array<bigint | number> = []
    const sorter = new RadixSorter(ends.reduce((most, end, bucket) => Math.max(most, end - (ends[bucket - 1] ?? 0)), 0))
    const halves = halvesOf(this.#terms)
    for (const [bucket, end] of ends.entries()) {
      const start = ends[bucket - 1] ?? 0
      if (start === end) continue
      // A stable sort, so the least significant digits come first.
      const indexes = sorter.sort(start, end, [
        (at) => ranks[this.#rows[at] ?? 0] ?? 0,
        (at) => (halves[at * 2 + 1] ?? 0) & 0xffffff
      ])
      yield
      for (const at of indexes) {
        const row = this.#rows[at] ?? 0
        const version = this.#versions[row] ?? notWritten
        if (version === notWritten) continue
        values.push(this.#terms[at] ?? 0n, this.#importedAts[row] ?? 0, version)
        if (values.length < termsAtOnce * 3) continue
        insertMany.run(...values)
        values.length = 0
        yield
      }
    }
    if (values.length > 0) connection.prepareWrite(termInsert(table, values.length / 3)).run(...values)
    this.#clear()
  }

  #reserve(terms: number): void {
    if (this.#rowCount === this.#versions.length) {
      const larger = Math.max(1_024, this.#rowCount * 2)
      this.#importedAts = new Float64Array(this.#importedAts.buffer.transfer(larger * 8))
      this.#versions = new BigInt64Array(this.#versions.buffer.transfer(larger * 8))
    }
    if (this.#count + terms > this.#terms.length) {
      const larger = Math.max(this.#count + terms, this.#terms.length * 2)
      this.#terms = new BigInt64Array(this.#terms.buffer.transfer(larger * 8))
      this.#rows = new Uint32Array(this.#rows.buffer.transfer(larger * 4))
    }
  }

  #clear(): void {
    for (const { buffer } of [this.#importedAts, this.#versions, this.#terms, this.#rows]) freeBuffer(buffer)
    this.#importedAts = new Float64Array()
    this.#versions = new BigInt64Array()
    this.#terms = new BigInt64Array()
    this.#rows = new Uint32Array()
    this.#rowCount = 0
    this.#count = 0
    this.#isRepeated = false
  }

  #omitReplaced(): void {
    const seen = new Set<bigint>()
    for (let row = this.#rowCount - 1; row >= 0; row -= 1) {
      const version = this.#versions[row] ?? notWritten
      if (seen.has(version)) this.#versions[row] = notWritten
      else seen.add(version)
    }
  }

  /** For each row, the number of rows that were imported earlier. */
  #ranks(): Uint32Array {
    const times = this.#importedAts.subarray(0, this.#rowCount).toSorted()
    return Uint32Array.from(this.#importedAts.subarray(0, this.#rowCount), (time) => {
      let low = 0
      let high = times.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((times[middle] ?? 0) < time) low = middle + 1
        else high = middle
      }
      return low
    })
  }

  /** Distributes the terms to buckets by their first byte, in place. Returns the end of each bucket. */
  #distribute(): Uint32Array {
    const terms = this.#terms
    const rows = this.#rows
    const halves = halvesOf(terms)
    // Negative terms come first.
    const bucketOf = (at: number): number => ((halves[at * 2 + 1] ?? 0) >> 24) + buckets / 2
    const ends = new Uint32Array(buckets)
    for (let at = 0; at < this.#count; at += 1) increment(ends, bucketOf(at))
    accumulate(ends)
    const next = Uint32Array.from(ends, (_, bucket) => ends[bucket - 1] ?? 0)
    for (const [bucket, end] of ends.entries()) {
      for (let at = next[bucket] ?? 0; at < end; at = next[bucket] ?? end) {
        const right = bucketOf(at)
        const to = increment(next, right)
        if (right === bucket) continue
        const term = terms[to] ?? 0n
        const row = rows[to] ?? 0
        terms[to] = terms[at] ?? 0n
        rows[to] = rows[at] ?? 0
        terms[at] = term
        rows[at] = row
      }
    }
    return ends
  }
}

/** The version of a row that was replaced, whose terms are not written. */
const notWritten = -(2n ** 63n)

const buckets = 256

/** Terms per statement, because a call of a statement takes longer than storing a row. */
const termsAtOnce = 128

/** OR FAIL: a failure rolls back the whole transaction, so SQLite need not be able to undo the single statement. */
const termInsert = (table: string, rows: number): string =>
  `INSERT OR FAIL INTO ${table} (term, imported_at, version) VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}`

/**
 * The halves of the terms, because sorting big integers is slow. All processors that Node supports are little-endian:
 * the upper half comes second.
 */
const halvesOf = ({ buffer }: BigInt64Array): Int32Array => new Int32Array(buffer)

/** Returns the value before the increment. */
const increment = (counts: Uint32Array, at: number): number => {
  const count = counts[at] ?? 0
  counts[at] = count + 1
  return count
}

const accumulate = (counts: Uint32Array): void => {
  for (let at = 1; at < counts.length; at += 1) counts[at] = (counts[at] ?? 0) + (counts[at - 1] ?? 0)
}

/** A stable radix sort, ten times as fast as a sort by comparison. Its memory is reused for each sort. */
class RadixSorter {
  readonly #keys: Uint32Array
  #from: Uint32Array
  #to: Uint32Array
  readonly #ends = new Uint32Array(maxDigits)

  constructor(most: number) {
    this.#keys = new Uint32Array(most)
    this.#from = new Uint32Array(most)
    this.#to = new Uint32Array(most)
  }

  /** The indexes from `start` to `end`, sorted by the last key, for equal ones by the key before it, and so on. */
  sort(start: number, end: number, keys: ReadonlyArray<(at: number) => number>): Uint32Array {
    const count = end - start
    // For a few terms, clearing thousands of counters would take longer than another pass.
    const digitBits = count < maxDigits ? 8 : 12
    for (let at = 0; at < count; at += 1) this.#from[at] = at
    for (const keyOf of keys) {
      for (let at = 0; at < count; at += 1) this.#keys[at] = keyOf(start + at)
      for (let shift = 0; shift < keyBits; shift += digitBits) this.#pass(count, shift, 2 ** digitBits)
    }
    const indexes = this.#from.subarray(0, count)
    for (let at = 0; at < count; at += 1) indexes[at] = (indexes[at] ?? 0) + start
    return indexes
  }

  #pass(count: number, shift: number, digits: number): void {
    const digitOf = (at: number): number => ((this.#keys[at] ?? 0) >>> shift) & (digits - 1)
    const ends = this.#ends.subarray(0, digits).fill(0)
    for (let at = 0; at < count; at += 1) increment(ends, digitOf(at))
    accumulate(ends)
    for (let at = count - 1; at >= 0; at -= 1) {
      const index = this.#from[at] ?? 0
      const digit = digitOf(index)
      const position = (ends[digit] ?? 0) - 1
      ends[digit] = position
      this.#to[position] = index
    }
    ;[this.#from, this.#to] = [this.#to, this.#from]
  }
}

const keyBits = 24
const maxDigits = 2 ** 12

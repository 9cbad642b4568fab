/** Splits a file of records into chunks of whole records, so that it may be larger than memory. */
import type { Readable } from "node:stream"
import { pipeline } from "node:stream"
import { isMarkedAsUntransferable } from "node:worker_threads"
import { createGunzip } from "node:zlib"
import { rowScanner } from "./Csv.ts"
import { jsonLines } from "./JsonValues.ts"
import { type Compression, compressionOf, decidingBytes, formatOf, type RecordFormat } from "./RecordFormat.ts"
import { decompressZstd } from "./ZstdFrames.ts"

export interface RecordChunk {
  /** Undefined for a single record that is longer than the maximum. The chunk has the buffer for itself. */
  readonly text: Uint8Array<ArrayBuffer> | undefined
  readonly format: RecordFormat
  /** The number of the first line, or of the first record if records may span lines; from 1. */
  readonly firstNumber: number
}

/** Frees the memory before the garbage collector would. Buffers of Node's pool of small buffers are left alone. */
export const freeBuffer = (buffer: ArrayBuffer): void => {
  if (!buffer.detached && !isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}

/** The minimum size of a chunk in bytes, except for the last one. */
export const chunkBytes = 524_288

/** The maximum length of a record in bytes, so that a longer one does not fill the memory. */
export const maximumRecordBytes = 16 * 1_048_576

/** The chunks, or what the content seems to be if its format is not supported. */
export type Records = AsyncGenerator<RecordChunk> | string

/** Chunks of whole records, which throw where the source does. For `csvColumns`, see {@link formatOf}. */
export const recordsOf = async (source: Readable, csvColumns: ReadonlyArray<string> | undefined): Promise<Records> => {
  const raw = await peek(source)
  const compression = compressionOf(raw.head)
  const { bytes, head } = compression === undefined ? raw : await peek(decompress(raw.bytes, compression))
  const format = formatOf(head, csvColumns)
  if (typeof format === "string") return format
  switch (format.type) {
    case "lines":
      return chunksOf(bytes, format, lineEnds)
    case "array":
    case "values":
      return chunksOf(jsonLines(bytes, format.type), format, lineEnds)
    case "csv":
      return chunksOf(bytes, format, rowEnds(format.delimiter))
  }
}

const newline = 0x0a

type Bytes = AsyncIterable<Buffer>

/** The first bytes, and an iterable of all bytes including these. */
const peek = async (source: AsyncIterable<Buffer>): Promise<{ readonly head: Buffer; readonly bytes: Bytes }> => {
  const iterator = source[Symbol.asyncIterator]()
  const first: Array<Buffer> = []
  let length = 0
  let failure: { readonly cause: unknown } | undefined
  while (length < decidingBytes && failure === undefined) {
    try {
      const { done, value } = await iterator.next()
      if (done === true) break
      first.push(value)
      length += value.length
    } catch (cause) {
      failure = { cause }
    }
  }
  const bytes = async function* () {
    try {
      yield* first
      if (failure !== undefined) throw failure.cause
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { head: Buffer.concat(first), bytes: bytes() }
}

const decompress = (bytes: Bytes, compression: Compression): AsyncIterable<Buffer> =>
  compression === "zstd"
    ? decompressZstd(bytes)
    : pipeline(bytes, createGunzip(), () => {
        // Errors reach the reader of the result.
      })

/** The ends of records in a piece of the file, as offsets in the piece, and the number of records that end in it. */
interface Ends {
  readonly first: number
  readonly last: number
  readonly count: number
}

const lineEnds = (bytes: Buffer): Ends => {
  const first = bytes.indexOf(newline) + 1
  let count = 0
  for (let at = first - 1; at !== -1; at = bytes.indexOf(newline, at + 1)) count += 1
  return { first, last: bytes.lastIndexOf(newline) + 1, count }
}

const rowEnds = (delimiter: string) => {
  const scan = rowScanner(delimiter)
  return (bytes: Buffer): Ends => {
    let first = 0
    let last = 0
    let count = 0
    scan(bytes, (end) => {
      if (count === 0) first = end
      last = end
      count += 1
    })
    return { first, last, count }
  }
}

async function* chunksOf(
  source: AsyncIterable<Buffer>,
  format: RecordFormat,
  endsIn: (bytes: Buffer) => Ends
): AsyncGenerator<RecordChunk> {
  let firstNumber = 1
  /** The bytes of complete records, and the start of one that continues in the next piece. */
  let held: Array<Buffer> = []
  let heldBytes = 0
  let wholeBytes = 0
  let wholeRecords = 0
  let isTooLong = false
  const chunk = (text: RecordChunk["text"], records: number): RecordChunk => {
    const made = { text, format, firstNumber }
    firstNumber += records
    return made
  }
  const takeWhole = (): RecordChunk => {
    const text = Buffer.allocUnsafeSlow(wholeBytes)
    let copied = 0
    const rest: Array<Buffer> = []
    for (const part of held) {
      const taken = part.copy(text, copied)
      copied += taken
      if (taken < part.length) rest.push(part.subarray(taken))
    }
    const made = chunk(text, wholeRecords)
    held = rest
    heldBytes -= wholeBytes
    wholeBytes = 0
    wholeRecords = 0
    return made
  }
  try {
    for await (const read of source) {
      const { count, first, last } = endsIn(read)
      if (isTooLong && count === 0) continue
      // Skips the rest of a record that was too long.
      const skipped = isTooLong ? first : 0
      isTooLong = false
      held.push(read.subarray(skipped))
      if (last > skipped) wholeBytes = heldBytes + last - skipped
      heldBytes += read.length - skipped
      wholeRecords += skipped === 0 ? count : count - 1
      if (wholeBytes >= chunkBytes) yield takeWhole()
      if (heldBytes - wholeBytes <= maximumRecordBytes) continue
      if (wholeBytes > 0) yield takeWhole()
      held = []
      heldBytes = 0
      isTooLong = true
      yield chunk(undefined, 1)
    }
  } catch (cause) {
    if (wholeBytes > 0) yield takeWhole()
    throw cause
  }
  wholeBytes = heldBytes
  if (heldBytes > 0) yield takeWhole()
}

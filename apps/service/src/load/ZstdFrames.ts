/** Decompresses every frame (RFC 8878): the decompressor of Node 24 ends after the first one without an error. */
import { pipeline } from "node:stream"
import { createZstdDecompress } from "node:zlib"

type Bytes = AsyncIterable<Buffer>

const frameMagic = 0xfd2fb528

/** The last hexadecimal digit may have any value: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.2. */
export const isSkippableFrame = (magic: number): boolean => (magic & 0xfffffff0) >>> 0 === 0x184d2a50

export async function* decompressZstd(bytes: Bytes): AsyncGenerator<Buffer> {
  const reader = new ByteReader(bytes)
  try {
    for (let start = await reader.peek(4); start.length > 0; start = await reader.peek(4)) {
      const magic = start.length < 4 ? undefined : start.readUInt32LE()
      if (magic === frameMagic) {
        yield* pipeline(frame(reader), createZstdDecompress(), () => {
          // Errors reach the reader of the result.
        })
      } else if (magic !== undefined && isSkippableFrame(magic)) {
        const header = await reader.take(8)
        for await (const _ of reader.takeParts(header.readUInt32LE(4)));
      } else {
        throw new Error("bytes that are not a zstd frame follow the last frame")
      }
    }
  } finally {
    await reader.close()
  }
}

/** The bytes of one frame: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1. */
async function* frame(reader: ByteReader): AsyncGenerator<Buffer> {
  const start = await reader.take(5)
  yield start
  const descriptor = start.readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  yield* reader.takeParts((isSingleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes)
  for (let isLast = false; !isLast;) {
    const blockHeader = await reader.take(3)
    yield blockHeader
    const header = blockHeader.readUIntLE(0, 3)
    isLast = (header & 1) === 1
    const isRepeatedByte = ((header >>> 1) & 3) === 1
    yield* reader.takeParts(isRepeatedByte ? 1 : header >>> 3)
  }
  if ((descriptor & 4) !== 0) yield* reader.takeParts(4)
}

/** Reads a given number of bytes from chunks of any size. Fails where the file ends, because Node 22 would not. */
class ByteReader {
  readonly #iterator: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(bytes: Bytes) {
    this.#iterator = bytes[Symbol.asyncIterator]()
  }

  /** Fewer bytes at the end of the file. Only for a few, because it copies everything that it has read. */
  async peek(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const { done, value } = await this.#iterator.next()
      if (done === true) break
      this.#held = Buffer.concat([this.#held, value])
    }
    return this.#held.subarray(0, count)
  }

  async take(count: number): Promise<Buffer> {
    const taken = await this.peek(count)
    if (taken.length < count) throw fileEnds()
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  /** Yields the bytes as they arrive, without copying. */
  async *takeParts(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0;) {
      if (this.#held.length === 0) {
        const { done, value } = await this.#iterator.next()
        if (done === true) throw fileEnds()
        this.#held = value
      }
      const part = this.#held.subarray(0, missing)
      this.#held = this.#held.subarray(part.length)
      missing -= part.length
      yield part
    }
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}

const fileEnds = () => new Error("the file ends inside a zstd frame")

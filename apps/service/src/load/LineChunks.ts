/** A file as chunks of whole lines, for files larger than memory. */
import type { Readable } from "node:stream"

export interface LineChunk {
  readonly text: Uint8Array
  /** The number of its first line, from 1. */
  readonly firstLine: number
}

export const chunkBytes = 4 * 1_048_576

/** The longest line that is read. Anything longer is no record, and must not fill the memory. */
export const maximumLineBytes = 16 * 1_048_576

/** Throws where the source does, after the last whole line of it, and where a line is longer than is read. */
export async function* lineChunks(source: Readable): AsyncGenerator<LineChunk> {
  let firstLine = 1
  let held: Array<Uint8Array> = []
  let heldBytes = 0
  try {
    for await (const read of source) {
      const bytes: Buffer = read
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes < chunkBytes) continue
      const all = Buffer.concat(held)
      const end = all.lastIndexOf(newline) + 1
      if (end === 0 && heldBytes > maximumLineBytes) {
        throw new RangeError(`line ${firstLine} is longer than ${maximumLineBytes / 1_048_576} MiB`)
      }
      if (end > 0) {
        const text = all.subarray(0, end)
        yield { text, firstLine }
        firstLine += linesIn(text)
      }
      held = end === all.length ? [] : [all.subarray(end)]
      heldBytes = all.length - end
    }
  } catch (cause) {
    const all = Buffer.concat(held)
    const text = all.subarray(0, all.lastIndexOf(newline) + 1)
    if (text.length > 0) yield { text, firstLine }
    throw cause
  }
  if (heldBytes > 0) yield { text: Buffer.concat(held), firstLine }
}

/** Line `n` of the chunk is number `firstLine + n`; empty ones are passed over. */
export function* linesOf({
  firstLine,
  text
}: LineChunk): Generator<{ readonly number: number; readonly line: string }> {
  let number = firstLine
  for (const line of decoder.decode(text).split("\n")) {
    if (line.trim() !== "") yield { number, line }
    number += 1
  }
}

const newline = 0x0a
const decoder = new TextDecoder()

const linesIn = (text: Buffer): number => {
  let lines = 0
  for (let at = text.indexOf(newline); at !== -1; at = text.indexOf(newline, at + 1)) lines += 1
  return lines
}

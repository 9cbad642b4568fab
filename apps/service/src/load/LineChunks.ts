/** A file as chunks of whole lines, for files larger than memory. */
import type { Readable } from "node:stream"

export interface LineChunk {
  /** Undefined for one line that is longer than is read. */
  readonly text: Uint8Array | undefined
  /** The number of its first line, from 1. */
  readonly firstLine: number
}

/** A line, or why it cannot be read. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string }

export const chunkBytes = 4 * 1_048_576

/** The longest line that is read. Anything longer is no record, and must not fill the memory. */
export const maximumLineBytes = 16 * 1_048_576

/** Throws where the source does, after the last whole line of it. */
export async function* lineChunks(source: Readable): AsyncGenerator<LineChunk> {
  let firstLine = 1
  let held: Array<Uint8Array> = []
  let heldBytes = 0
  let cutting = false
  try {
    for await (const read of source) {
      const bytes: Uint8Array | undefined = cutting ? afterLine(read) : read
      if (bytes === undefined) continue
      cutting = false
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes < chunkBytes) continue
      const all = Buffer.concat(held)
      const end = all.lastIndexOf(newline) + 1
      cutting = end === 0 && heldBytes > maximumLineBytes
      if (cutting) {
        yield { text: undefined, firstLine }
        firstLine += 1
      } else if (end > 0) {
        const text = all.subarray(0, end)
        yield { text, firstLine }
        firstLine += linesIn(text)
      }
      held = cutting || end === all.length ? [] : [all.subarray(end)]
      heldBytes = cutting ? 0 : all.length - end
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
export function* linesOf({ firstLine, text }: LineChunk): Generator<Line> {
  if (text === undefined)
    return yield { number: firstLine, fault: `it is longer than ${maximumLineBytes / 1_048_576} MiB` }
  const whole = decoded(text)
  const lines = whole === undefined ? bytesOfLines(text).map(decoded) : whole.split("\n")
  for (const [at, line] of lines.entries()) {
    const number = firstLine + at
    if (line === undefined) yield { number, fault: "it is not UTF-8" }
    else if (line.trim() !== "") yield { number, text: line }
  }
}

const newline = 0x0a
const decoder = new TextDecoder("utf-8", { fatal: true })

/** Undefined where it is not UTF-8. */
const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const bytesOfLines = (text: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  let start = 0
  for (let end = text.indexOf(newline); end !== -1; end = text.indexOf(newline, start)) {
    lines.push(text.subarray(start, end))
    start = end + 1
  }
  return [...lines, text.subarray(start)]
}

/** Undefined where the line goes on. */
const afterLine = (bytes: Uint8Array): Uint8Array | undefined => {
  const end = bytes.indexOf(newline)
  return end === -1 ? undefined : bytes.subarray(end + 1)
}

const linesIn = (text: Buffer): number => {
  let lines = 0
  for (let at = text.indexOf(newline); at !== -1; at = text.indexOf(newline, at + 1)) lines += 1
  return lines
}

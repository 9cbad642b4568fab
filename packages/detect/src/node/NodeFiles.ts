/** Files of this machine, read and looked through in this thread. */
import { Effect, Layer, Stream } from "effect"
import { closeSync, type Dirent, fstatSync, opendirSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import { join } from "node:path"
import { decode, isBinary, isWide } from "../text/Bytes.ts"
import type { Candidate } from "../Candidate.ts"
import { type FileName, Files, type FileScan, largestFile, largestPiece } from "../files/Files.ts"
import { RootUnreadable } from "../ScanError.ts"
import { scanText, type TextOptions } from "../Text.ts"

export const layer: Layer.Layer<Files> = Layer.sync(Files, () =>
  Files.of({
    check,
    walk: (root) => Stream.fromIterableEffect(Effect.as(check(root), below(Buffer.from(root), undefined))),
    scan: (root, files, options) =>
      Effect.sync(() => files.map((file) => scanFile(root, file, options)).filter((scan) => scan !== undefined)).pipe(
        Effect.tap(Effect.yieldNow)
      ),
    read: (root, path) =>
      Effect.try(() => decode(readFileSync(join(root, path)))).pipe(Effect.orElseSucceed(() => undefined))
  })
)

/** Undefined where the file is gone. */
export const scanFile = (root: string, { bytes, path }: FileName, options: TextOptions): FileScan | undefined => {
  const none = { path, bytes: 0, candidates: [], leftOut: undefined, notRead: undefined }
  const place = bytes === undefined ? join(root, path) : Buffer.concat([Buffer.from(`${root}/`), bytes])
  let file: number
  try {
    file = openSync(place, "r")
  } catch (cause) {
    return errorCode(cause) === "ENOENT" || errorCode(cause) === "ENOTDIR"
      ? undefined
      : { ...none, notRead: "unreadable" }
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) return undefined
    if (stat.size > largestFile) return { ...none, notRead: "too-large" }
    if (stat.size > largestPiece && !isWide(firstBytes(file))) return scanPieces(file, path, options)
    const isShort = stat.size > 0 && stat.size < shared.length
    const read = isShort ? readSync(file, shared, 0, shared.length, 0) : shared.length
    // What is read as short and fills the room has grown since.
    return scanWhole(read < shared.length ? shared.subarray(0, read) : readFileSync(file), path, options)
  } catch {
    return { ...none, notRead: "unreadable" }
  } finally {
    closeSync(file)
  }
}

/** Most files fit, one after the other: a room for each would be the collector's to clear away. */
const shared = Buffer.allocUnsafeSlow(1 << 18)

const scanWhole = (content: Uint8Array, path: string, options: TextOptions): FileScan => {
  const scan = { path, bytes: content.length, candidates: [], notRead: undefined }
  return isBinary(content) ? { ...scan, leftOut: "binary" } : { ...scan, ...scanText(decode(content), path, options) }
}

const firstBytes = (file: number): Uint8Array => {
  const bytes = Buffer.alloc(64)
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0))
}

const scanPieces = (file: number, path: string, options: TextOptions): FileScan => {
  const buffer = Buffer.alloc(largestPiece)
  const candidates: Array<Candidate> = []
  let kept = 0
  let bytes = 0
  let line = 0
  let column = 0
  for (;;) {
    const read = readSync(file, buffer, kept, buffer.length - kept, bytes)
    const filled = kept + read
    if (bytes === 0 && isBinary(buffer.subarray(0, filled)))
      return { path, bytes: read, candidates: [], leftOut: "binary", notRead: undefined }
    bytes += read
    const end = read === 0 ? filled : pieceEnd(buffer.subarray(0, filled))
    const text = decode(buffer.subarray(0, end))
    const scan = scanText(text, path, options)
    if (scan.leftOut !== undefined) return { path, bytes, candidates, leftOut: scan.leftOut, notRead: undefined }
    for (const { location, ...candidate } of scan.candidates) {
      candidates.push({
        ...candidate,
        location: {
          ...location,
          line: location.line + line,
          column: location.column + (location.line === 1 ? column : 0),
          endLine: location.endLine + line,
          endColumn: location.endColumn + (location.endLine === 1 ? column : 0)
        }
      })
    }
    if (read === 0) return { path, bytes, candidates, leftOut: undefined, notRead: undefined }
    const lastLine = text.lastIndexOf("\n") + 1
    column = lastLine === 0 ? column + text.length : text.length - lastLine
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) line++
    buffer.copyWithin(0, end, filled)
    kept = filled - end
  }
}

const longestKey = 1 << 16

/** After the last whole line, or the last blank of a long one, and before a private key that goes on in the next piece. */
const pieceEnd = (buffer: Buffer): number => {
  const line = buffer.lastIndexOf("\n") + 1
  const key = buffer.lastIndexOf("-----BEGIN ")
  const inside = key > 0 && buffer.length - key < longestKey && buffer.indexOf("-----END ", key) < 0
  if (inside) return key
  if (line > buffer.length / 2) return line
  const blank = buffer.lastIndexOf(" ") + 1
  return buffer.length - blank < longestKey ? blank : buffer.length
}

const errorCode = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

const check = (root: string): Effect.Effect<void, RootUnreadable> =>
  Effect.try({
    try: () => opendirSync(root).closeSync(),
    catch: () => new RootUnreadable({ root })
  })

const separator = Buffer.from("/")

function* below(root: Buffer, folder: Buffer | undefined): Generator<FileName> {
  let entries: ReadonlyArray<Dirent<Buffer>>
  try {
    entries = readdirSync(folder === undefined ? root : Buffer.concat([root, separator, folder]), {
      encoding: "buffer",
      withFileTypes: true
    })
  } catch {
    return
  }
  for (const entry of entries) {
    const name = folder === undefined ? entry.name : Buffer.concat([folder, separator, entry.name])
    if (entry.isDirectory()) {
      if (entry.name.toString("latin1") !== ".git") yield* below(root, name)
    } else if (entry.isFile()) {
      const path = decode(name)
      yield Buffer.from(path).equals(name) ? { path } : { path, bytes: name }
    }
  }
}

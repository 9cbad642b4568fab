/** Reads and scans the files of this machine in the current thread. */
import { Effect, Layer, Stream } from "effect"
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync
} from "node:fs"
import { join, sep } from "node:path"
import { decode, isBinary, isWide } from "../text/Bytes.ts"
import type { Candidate } from "../Candidate.ts"
import { type FileName, Files, type FileScan, maxFileSize, maxPieceSize } from "../files/Files.ts"
import { RootUnreadable } from "../ScanError.ts"
import { type IgnoreRules, ignoreRules, isIgnored, type ReadIgnoreRules } from "../skip/GitIgnore.ts"
import { type Allowed, scanText, type TextOptions } from "../Text.ts"

export const layer: Layer.Layer<Files> = Layer.sync(Files, () =>
  Files.of({
    check,
    walk: (root, skip) =>
      Stream.fromIterableEffect(
        Effect.map(Effect.andThen(check(root), ignoreRules), (readRules) => below(root, undefined, [], skip, readRules))
      ),
    scan: (root, files, options) =>
      Effect.sync(() => {
        const isInside = insideOf(root)
        return files.map((file) => scanFile(root, file, options, isInside)).filter((scan) => scan !== undefined)
      }).pipe(Effect.tap(Effect.yieldNow)),
    read: (root, path) =>
      Effect.try(() => {
        if (!insideOf(root)({ path })) return undefined
        const file = openSync(join(root, path), withoutLinks)
        try {
          const stat = fstatSync(file)
          if (!stat.isFile()) return undefined
          // Readers refuse what is this long, so that the rest is not needed.
          const bytes = Buffer.alloc(Math.min(stat.size, maxFileSize))
          return decode(bytes.subarray(0, readSync(file, bytes)))
        } finally {
          closeSync(file)
        }
      }).pipe(Effect.orElseSucceed(() => undefined))
  })
)

/** Does not follow symbolic links, and does not block on named pipes. */
const withoutLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Returns a predicate: whether a file's folder, with symbolic links resolved, is the root or below it. */
const insideOf = (root: string) => {
  const real = realpathSync.native(root)
  const start = real.endsWith(sep) ? real : `${real}${sep}`
  const isBelow = (folder: string | Buffer) => {
    try {
      return `${realpathSync.native(folder)}${sep}`.startsWith(start)
    } catch {
      // Opening the file reports the reason.
      return true
    }
  }
  const plain = new Map([["", true]])
  /**
   * Whether no component of the folder is a symbolic link. This takes one system call per folder; resolving a path
   * takes several.
   */
  const isPlain = (folder: string): boolean => {
    const known = plain.get(folder)
    if (known !== undefined) return known
    const cut = folder.lastIndexOf("/")
    const answer =
      folder.slice(cut + 1) !== ".." && isPlain(folder.slice(0, Math.max(0, cut))) && isFolder(`${root}/${folder}`)
    plain.set(folder, answer)
    return answer
  }
  const known = new Map<string, boolean>()
  return ({ bytes, path }: FileName): boolean => {
    const cut = path.lastIndexOf("/")
    if (cut < 0) return true
    // Different byte sequences may decode to the same text.
    if (bytes !== undefined) return isBelow(folderOf(root, bytes))
    const folder = path.slice(0, cut)
    if (isPlain(folder)) return true
    const answer = known.get(folder) ?? isBelow(join(root, folder))
    known.set(folder, answer)
    return answer
  }
}

const isFolder = (place: string): boolean => {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

const folderOf = (root: string, bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${root}/`), bytes.subarray(0, bytes.lastIndexOf(slash) + 1)])

const slash = 47

/** Undefined if the file no longer exists. */
const scanFile = (
  root: string,
  file: FileName,
  options: TextOptions,
  isInside: (file: FileName) => boolean
): FileScan | undefined => {
  const { isSparse, path } = file
  const none = { path, bytes: 0, candidates: [], allowed: [], skipped: undefined }
  if (options.isLate?.() === true) return { ...none, skipped: "not-in-time" }
  if (!isInside(file)) return { ...none, skipped: "symbolic-link" }
  const place = placeOf(root, file)
  let handle: number
  try {
    handle = openSync(place, withoutLinks)
  } catch (cause) {
    const code = errorCode(cause)
    if (code === "ENOENT" || code === "ENOTDIR")
      return isSparse === true ? { ...none, skipped: "not-checked-out" } : undefined
    return { ...none, skipped: code === "ELOOP" ? "symbolic-link" : "unreadable" }
  }
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) return undefined
    if (stat.size > maxFileSize) return { ...none, skipped: "too-large" }
    if (stat.size > maxPieceSize && !isWide(firstBytes(handle))) return scanPieces(handle, path, options)
    const isShort = stat.size > 0 && stat.size < shared.length
    const read = isShort ? readSync(handle, shared, 0, shared.length, 0) : shared.length
    // If the buffer is full, the file has grown since `fstat`: read it whole.
    const content = read < shared.length ? shared.subarray(0, read) : readWhole(handle)
    return content === undefined ? { ...none, skipped: "too-large" } : scanWhole(content, path, options)
  } catch {
    return { ...none, skipped: "unreadable" }
  } finally {
    closeSync(handle)
  }
}

/** Undefined if the content is larger than the maximum. Files of procfs have the size 0, and some have no end. */
const readWhole = (file: number): Buffer | undefined => {
  const parts: Array<Buffer> = []
  for (let size = 0; size <= maxFileSize;) {
    const part = Buffer.allocUnsafe(shared.length)
    const read = readSync(file, part, 0, part.length, size)
    if (read === 0) return Buffer.concat(parts, size)
    parts.push(part.subarray(0, read))
    size += read
  }
  return undefined
}

/** Reused for all files: most fit, and a buffer per file would burden the garbage collector. */
const shared = Buffer.allocUnsafeSlow(1 << 18)

const scanWhole = (content: Uint8Array, path: string, options: TextOptions): FileScan => {
  const scan = { path, bytes: content.length }
  return isBinary(content)
    ? { ...scan, candidates: [], allowed: [], skipped: "binary" }
    : { ...scan, ...scanText(decode(content), path, options, content) }
}

const firstBytes = (file: number): Uint8Array => {
  const bytes = Buffer.alloc(64)
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0))
}

const scanPieces = (file: number, path: string, options: TextOptions): FileScan => {
  const buffer = Buffer.alloc(maxPieceSize)
  const candidates: Array<Candidate> = []
  const allowed: Array<Allowed> = []
  let kept = 0
  let bytes = 0
  let line = 0
  let column = 0
  let beginning: string | undefined
  for (;;) {
    const read = readSync(file, buffer, kept, buffer.length - kept, bytes)
    const filled = kept + read
    if (bytes === 0 && isBinary(buffer.subarray(0, filled)))
      return { path, bytes: read, candidates: [], allowed: [], skipped: "binary" }
    bytes += read
    if (bytes > maxFileSize) return { path, bytes, candidates, allowed, skipped: "too-large" }
    const end = read === 0 ? filled : pieceEnd(buffer.subarray(0, filled))
    const text = decode(buffer.subarray(0, end))
    beginning ??= text.slice(0, 1000)
    const scan = scanText(text, path, { ...options, beginning })
    if (scan.skipped !== undefined && scan.skipped !== "not-in-time")
      return { path, bytes, candidates, allowed, skipped: scan.skipped }
    const shift = ({ location, ...candidate }: Candidate): Candidate => ({
      ...candidate,
      location: {
        ...location,
        line: location.line + line,
        column: location.column + (location.line === 1 ? column : 0),
        endLine: location.endLine + line,
        endColumn: location.endColumn + (location.endLine === 1 ? column : 0)
      }
    })
    candidates.push(...scan.candidates.map(shift))
    allowed.push(...scan.allowed.map(({ candidate, commentLine }) => ({ candidate: shift(candidate), commentLine })))
    if (read === 0 || scan.skipped !== undefined) return { path, bytes, candidates, allowed, skipped: scan.skipped }
    const lastLine = text.lastIndexOf("\n") + 1
    column = lastLine === 0 ? column + text.length : text.length - lastLine
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) line++
    buffer.copyWithin(0, end, filled)
    kept = filled - end
  }
}

const maxKeyLength = 1 << 16

/**
 * Where a piece ends: after its last line, after the last space if that line is long, or before a private key that
 * continues in the next piece.
 */
const pieceEnd = (buffer: Buffer): number => {
  const line = buffer.lastIndexOf("\n") + 1
  const key = buffer.lastIndexOf("-----BEGIN ")
  const inside = key > 0 && buffer.length - key < maxKeyLength && buffer.indexOf("-----END ", key) < 0
  if (inside) return key
  if (line > buffer.length / 2) return line
  const blank = buffer.lastIndexOf(" ") + 1
  return buffer.length - blank < maxKeyLength ? blank : buffer.length
}

const errorCode = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

const check = (root: string): Effect.Effect<void, RootUnreadable> =>
  Effect.try({
    try: () => opendirSync(root).closeSync(),
    catch: () => new RootUnreadable({ root })
  })

/** The path to open; in bytes if the file name is not UTF-8. */
const placeOf = (root: string, { bytes, path }: FileName): string | Buffer =>
  bytes === undefined ? `${root}/${path}` : Buffer.concat([Buffer.from(`${root}/`), bytes])

/** No exclusions if the file is unreadable: everything is scanned. */
const ignoreRulesIn = (
  root: string,
  file: FileName,
  folder: string,
  readRules: ReadIgnoreRules
): ReadonlyArray<IgnoreRules> => {
  let handle: number | undefined
  try {
    handle = openSync(placeOf(root, file), withoutLinks)
    return [readRules(decode(readWhole(handle) ?? new Uint8Array()), folder)]
  } catch {
    return []
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

interface Entry {
  readonly name: FileName
  readonly is: Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink">
}

/** Reads names as text, and again as bytes if one contains U+FFFD, which may replace bytes that are not UTF-8. */
const entriesOf = (place: string | Buffer): ReadonlyArray<Entry> => {
  const entries = readdirSync(place, { withFileTypes: true })
  return entries.some(({ name }) => name.includes("\ufffd"))
    ? readdirSync(place, { encoding: "buffer", withFileTypes: true }).map((is) => ({ name: nameOf(is.name), is }))
    : entries.map((is) => ({ name: { path: is.name }, is }))
}

const nameOf = (bytes: Buffer): FileName => {
  const path = decode(bytes)
  return Buffer.from(path).equals(bytes) ? { path } : { path, bytes }
}

/** Path of an entry relative to the root. `folder` ends in a slash, and is undefined for the root. */
const joinNames = (folder: FileName | undefined, name: FileName, end = ""): FileName => {
  const path = `${folder?.path ?? ""}${name.path}${end}`
  if (folder?.bytes === undefined && name.bytes === undefined) return { path }
  const parts = [folder, name, { path: end }].map((part) => part?.bytes ?? Buffer.from(part?.path ?? ""))
  return { path, bytes: Buffer.concat(parts) }
}

function* below(
  root: string,
  folder: FileName | undefined,
  rulesAbove: ReadonlyArray<IgnoreRules>,
  skip: Parameters<Files["Service"]["walk"]>[1],
  readRules: ReadIgnoreRules
): Generator<FileName> {
  let entries: ReadonlyArray<Entry>
  try {
    entries = entriesOf(folder === undefined ? root : placeOf(root, folder))
  } catch {
    skip("unreadable", folder?.path.slice(0, -1) ?? ".")
    return
  }
  const ignoreFile = entries.find(({ is, name }) => name.path === ".gitignore" && is.isFile())
  const rules =
    ignoreFile === undefined
      ? rulesAbove
      : [...ignoreRulesIn(root, joinNames(folder, ignoreFile.name), folder?.path ?? "", readRules), ...rulesAbove]
  for (const { is, name } of entries) {
    if (is.isDirectory()) {
      if (name.path === ".git") continue
      const inner = joinNames(folder, name, "/")
      if (isIgnored(inner.path, rules)) skip("ignored", inner.path)
      else yield* below(root, inner, rules, skip, readRules)
      continue
    }
    const file = joinNames(folder, name)
    if (isIgnored(file.path, rules)) skip("ignored", file.path)
    else if (is.isSymbolicLink()) skip("symbolic-link", file.path)
    else if (is.isFile()) yield file
  }
}

/** Parses the output of `git log -p` and `git diff` as it arrives, into pieces of files after the change. */
import { concat, decode, unquote } from "../text/Bytes.ts"
import { messagePath } from "./GitPlaces.ts"

/** Consecutive lines of a file after a commit: added lines and their context. */
export interface Piece {
  readonly path: string
  readonly commit: string | undefined
  readonly text: string
  /** Line numbers in the file, one for each line of the text. */
  readonly lines: ReadonlyArray<number>
  /** For each line of the text, whether the commit added it: no parent has it. */
  readonly added: ReadonlyArray<boolean>
  /** The bytes that the text was decoded from. */
  readonly content: Uint8Array
}

/** A file whose lines the patch does not show. `moved` is a renamed file whose former path was not scanned. */
export interface Unread {
  readonly path: string
  readonly commit: string | undefined
  readonly kind: "submodule" | "symbolic-link" | "binary" | "moved"
  /** Object ids before and after the change: all zeros if the file does not exist, empty if git does not print them. */
  readonly before: string
  readonly after: string
}

export type PatchEvent =
  | { readonly _tag: "Piece"; readonly piece: Piece }
  | { readonly _tag: "Unread"; readonly unread: Unread }
  | { readonly _tag: "Renamed"; readonly from: string; readonly to: string }
  /** A `.gitattributes` was added, changed or deleted. */
  | { readonly _tag: "Attributes" }
  | { readonly _tag: "Commit"; readonly commit: string }

export interface PatchReader {
  /** Parses the next bytes; chunks may end anywhere. */
  push(bytes: Uint8Array): ReadonlyArray<PatchEvent>
  end(): ReadonlyArray<PatchEvent>
}

/** Size in bytes at which the lines so far become a piece; a PEM key is not split. */
const pieceSize = 1 << 20
const maxKeyLength = 1 << 16
/** Length in bytes from which `set` copies a line faster than a loop does. */
const longLine = 64

const fileOf = (path: string | undefined): File => ({
  path,
  from: undefined,
  isMoved: false,
  mode: "",
  before: "",
  after: "",
  binary: false,
  isWanted: undefined,
  size: 0,
  lines: [],
  added: [],
  inKey: false,
  any: false
})

interface File {
  path: string | undefined
  from: string | undefined
  /** The file was renamed from a path that was not wanted, so unchanged lines count as new. */
  isMoved: boolean
  mode: string
  before: string
  after: string
  binary: boolean
  /** Whether the file's lines are wanted; undefined until its first hunk. */
  isWanted: boolean | undefined
  /** Bytes in the lines since the last piece. */
  size: number
  lines: Array<number>
  added: Array<boolean>
  inKey: boolean
  /** Whether a line was added since the last piece. */
  any: boolean
}

export interface PatchReaderOptions {
  /** Whether to read the lines of the file with this path; called for each file that has some. */
  readonly wanted: (path: string) => boolean
  /** Whether the lines of a renamed file were wanted at its former path too. */
  readonly wasWanted: (from: string, to: string) => boolean
}

export const patchReader = ({ wanted, wasWanted }: PatchReaderOptions): PatchReader => {
  let events: Array<PatchEvent> = []
  let rest: Array<Uint8Array> = []
  let commit: string | undefined
  let file: File | undefined
  let skipping = false
  /** The lines up to one that ends with a zero byte are the commit's message. */
  let inMessage = false
  /** Number of parents in the current hunk; 0 outside a hunk. */
  let parents = 0
  let next = 0
  /** The lines since the last piece; all files share one buffer. */
  let buffer = new Uint8Array(1 << 16)

  const flush = () => {
    if (file === undefined || file.size === 0) return
    if (file.any && file.path !== undefined) {
      const content = buffer.slice(0, file.size)
      events.push({
        _tag: "Piece",
        piece: {
          path: file.path,
          commit,
          text: decode(content),
          lines: file.lines,
          added: file.added,
          content
        }
      })
    }
    file.size = 0
    file.lines = []
    file.added = []
    file.any = false
  }

  const finish = () => {
    flush()
    if (file !== undefined) {
      const { after, before, binary, from, isMoved, mode, path } = file
      if (from !== undefined && path !== undefined) events.push({ _tag: "Renamed", from, to: path })
      const kind = mode.endsWith("160000")
        ? "submodule"
        : mode.endsWith("120000")
          ? "symbolic-link"
          : isMoved
            ? "moved"
            : binary
              ? "binary"
              : undefined
      if (kind !== undefined && path !== undefined && wanted(path) && (isMoved || !/^0*$/.test(after))) {
        events.push({ _tag: "Unread", unread: { path, commit, kind, before, after } })
      }
    }
    file = undefined
    skipping = false
  }

  const header = (line: Uint8Array) => {
    const text = latin1.decode(line)
    if (text.startsWith("diff --")) {
      finish()
      const path = text.startsWith("diff --git ")
        ? sameName(line.subarray(11))
        : decode(unquote(line.subarray(text.indexOf(" ", 7) + 1)))
      file = fileOf(path)
      if (isAttributes.test(text)) events.push({ _tag: "Attributes" })
      return
    }
    if (text.startsWith("\0")) {
      finish()
      inMessage = text.endsWith("\0")
      commit = inMessage ? text.slice(1, -1) : text.slice(1)
      events.push({ _tag: "Commit", commit })
      if (inMessage) file = fileOf(messagePath)
      next = 1
      return
    }
    if (file === undefined) return
    if (text.startsWith("@@")) {
      const hunk = /^@(@+) (?:-\d+(?:,\d+)? )+\+(\d+)(?:,\d+)? @@/.exec(text)
      if (hunk === null) return
      parents = hunk[1]?.length ?? 0
      next = Number(hunk[2])
      file.isWanted ??= file.path !== undefined && !file.isMoved && wanted(file.path) && !/1[26]0000$/.test(file.mode)
      skipping = !file.isWanted
      if (file.size > 0) addLine(file, noBytes, 0, 0, 0, false)
    } else if (text.startsWith("+++ ")) file.path = nameOf(line.subarray(4))
    else if (text.startsWith("rename from ")) file.from = decode(unquote(line.subarray(12)))
    else if (text.startsWith("rename to ")) {
      file.path = decode(unquote(line.subarray(10)))
      file.isMoved = file.from !== undefined && !wasWanted(file.from, file.path)
    } else if (text.startsWith("index ")) {
      const index = /^index ([\da-f,]+)\.\.([\da-f]+)(?: (\d+))?/.exec(text)
      file.before = index?.[1]?.split(",")[0] ?? ""
      file.after = index?.[2] ?? ""
      if (index?.[3] !== undefined) file.mode = index[3]
    } else if (text.startsWith("new file mode ") || text.startsWith("new mode ")) file.mode = text.trim()
    else if (text.startsWith("Binary files ")) file.binary = true
  }

  /** Reads the line of a hunk between two offsets. */
  const content = (bytes: Uint8Array, from: number, to: number) => {
    let inResult = true
    let isNew = true
    for (let at = from; at < from + parents; at++) {
      if (bytes[at] === minus) inResult = false
      if (bytes[at] !== plus) isNew = false
    }
    if (!inResult) return
    if (!skipping && file !== undefined) addLine(file, bytes, from + parents, to, next, isNew)
    next++
  }

  const addLine = (file: File, bytes: Uint8Array, from: number, to: number, number: number, isNew: boolean) => {
    const length = Math.max(0, to - from)
    const start = file.size
    file.size += length + 1
    if (file.size > buffer.length) {
      const larger = new Uint8Array(file.size * 2)
      larger.set(buffer.subarray(0, start))
      buffer = larger
    }
    if (length > longLine) buffer.set(bytes.subarray(from, to), start)
    else for (let i = 0; i < length; i++) buffer[start + i] = bytes[from + i] ?? 0
    buffer[start + length] = newline
    file.lines.push(number)
    file.added.push(isNew)
    if (isNew) file.any = true
    const first = bytes[from]
    if (length > 5 && ((first === minus && bytes[from + 4] === minus) || (first === 80 && bytes[from + 5] === minus))) {
      const head = latin1.decode(bytes.subarray(from, Math.min(to, from + 64)))
      if (/^-----BEGIN .*PRIVATE KEY|^PuTTY-User-Key/.test(head)) file.inKey = true
      else if (head.startsWith("-----END ")) file.inKey = false
    } else if (first === 80 && file.inKey && latin1.decode(bytes.subarray(from, to)).startsWith("Private-MAC")) {
      file.inKey = false
    }
    if (file.size >= pieceSize && (!file.inKey || file.size >= pieceSize + maxKeyLength)) flush()
  }

  const message = (bytes: Uint8Array, from: number, to: number) => {
    const isEnd = from < to && bytes[to - 1] === 0
    if (file !== undefined) addLine(file, bytes, from, isEnd ? to - 1 : to, next++, true)
    if (!isEnd) return
    inMessage = false
    finish()
  }

  /** Reads the line between two offsets. */
  const take = (bytes: Uint8Array, from: number, to: number) => {
    if (inMessage) return message(bytes, from, to)
    const first = from < to ? bytes[from] : undefined
    // Each line of a hunk begins with one of these characters; after the hunk, no line does until the next header.
    const inHunk = parents > 0 && (first === space || first === plus || first === minus || first === backslash)
    if (!inHunk) {
      parents = 0
      if (from < to) header(bytes.subarray(from, to))
    } else if (first !== backslash) content(bytes, from, to)
  }

  const drain = () => {
    const out = events
    events = []
    return out
  }

  return {
    push: (chunk) => {
      // Slicing a Buffer is slower.
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length)
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        if (rest.length > 0) {
          const line = concat([...rest, bytes.subarray(from, at)])
          rest = []
          take(line, 0, line.length)
        } else take(bytes, from, at)
        from = at + 1
      }
      if (from < bytes.length) rest.push(bytes.subarray(from))
      return drain()
    },
    end: () => {
      const line = concat(rest)
      if (rest.length > 0) take(line, 0, line.length)
      finish()
      return drain()
    }
  }
}

const latin1 = new TextDecoder("latin1")
const isAttributes = /[ /]\.gitattributes"?$/
const noBytes = new Uint8Array()
const newline = 10
const backslash = 92
const space = 32
const minus = 45
const plus = 43

/**
 * The file name after `+++ `; undefined for a deleted file. If the name contains a space, git writes a tab after it.
 */
const nameOf = (written: Uint8Array): string | undefined => {
  const name = written[0] === 34 ? unquote(written) : written.at(-1) === 9 ? written.subarray(0, -1) : written
  const text = decode(name)
  return text === "/dev/null" ? undefined : text.replace(/^b\//, "")
}

/** The name in `a/NAME b/NAME`: both sides are equal unless other header lines give the name. */
const sameName = (names: Uint8Array): string | undefined => {
  if (names[0] === 34) return decode(unquote(names)).replace(/^a\//, "")
  const half = (names.length - 1) / 2
  return Number.isInteger(half) ? decode(names.subarray(2, half)) : undefined
}

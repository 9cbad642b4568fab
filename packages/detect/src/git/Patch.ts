/** Reads what `git log -p` and `git diff` print, as it arrives, and gives the lines that each file has after the change. */
import { concat, decode, unquote } from "../text/Bytes.ts"
import { messagePath } from "./GitPlaces.ts"

/** Part of one file as a commit leaves it: the lines it added, and a few around them. */
export interface Piece {
  readonly path: string
  readonly commit: string | undefined
  readonly text: string
  /** For each line of the text, its number in the file. */
  readonly lines: ReadonlyArray<number>
  /** For each line of the text, whether no parent has it. */
  readonly added: ReadonlyArray<boolean>
  /** The bytes that the text was decoded from. */
  readonly content: Uint8Array
}

/** The entry of a patch that lacks lines of interest. `moved` is a renamed file that was not read under its former name. */
export interface Unread {
  readonly path: string
  readonly commit: string | undefined
  readonly kind: "submodule" | "symbolic-link" | "binary" | "moved"
  /** Object ids of the file before and after; all zeros if there is none, empty if git does not print them. */
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
  /** Takes the next bytes, cut anywhere. */
  push(bytes: Uint8Array): ReadonlyArray<PatchEvent>
  end(): ReadonlyArray<PatchEvent>
}

/** Bytes of a file after which its lines so far become a piece; a key in PEM is kept whole. */
const pieceSize = 1 << 20
const maxKeyLength = 1 << 16
/** Bytes from which a line is copied in less time by a call than by a loop. */
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
  /** It was renamed, and was not of interest before: unchanged lines are new, too. */
  isMoved: boolean
  mode: string
  before: string
  after: string
  binary: boolean
  /** Whether its lines are of interest; undefined until its first hunk. */
  isWanted: boolean | undefined
  /** Bytes of its lines since the last piece. */
  size: number
  lines: Array<number>
  added: Array<boolean>
  inKey: boolean
  /** Some line since the last piece was added. */
  any: boolean
}

export interface PatchReaderOptions {
  /** Whether a file's lines are of interest, by its path: asked for every file that has some. */
  readonly wanted: (path: string) => boolean
  /** Whether the lines of a renamed file were of interest before, too. */
  readonly wasWanted: (from: string, to: string) => boolean
}

export const patchReader = ({ wanted, wasWanted }: PatchReaderOptions): PatchReader => {
  let events: Array<PatchEvent> = []
  let rest: Array<Uint8Array> = []
  let commit: string | undefined
  let file: File | undefined
  let skipping = false
  /** The lines up to one that ends with a zero byte are those of the commit's message. */
  let inMessage = false
  /** Parents of the hunk that is being read, 0 outside of one. */
  let parents = 0
  let next = 0
  /** The lines of the file since its last piece; one buffer for all files. */
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

  /** A line of a hunk, between two offsets. */
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

  /** A line, between two offsets. */
  const take = (bytes: Uint8Array, from: number, to: number) => {
    if (inMessage) return message(bytes, from, to)
    const first = from < to ? bytes[from] : undefined
    // Every line of a hunk begins with one of these, and no line after it does until the next header.
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
      // Never a Buffer, whose parts take longer to make.
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

/** The name after `+++ `: undefined for a file that is gone. A name with a blank in it is followed by a tab. */
const nameOf = (written: Uint8Array): string | undefined => {
  const name = written[0] === 34 ? unquote(written) : written.at(-1) === 9 ? written.subarray(0, -1) : written
  const text = decode(name)
  return text === "/dev/null" ? undefined : text.replace(/^b\//, "")
}

/** The name in `a/NAME b/NAME`. Both sides have the same name if no other line gives one. */
const sameName = (names: Uint8Array): string | undefined => {
  if (names[0] === 34) return decode(unquote(names)).replace(/^a\//, "")
  const half = (names.length - 1) / 2
  return Number.isInteger(half) ? decode(names.subarray(2, half)) : undefined
}

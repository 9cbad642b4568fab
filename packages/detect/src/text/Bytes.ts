/** Decodes text in any encoding, and file names that git quotes. */

const utf8 = new TextDecoder("utf-8", { fatal: true })
const utf8WithMark = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const utf16le = new TextDecoder("utf-16le")
const utf16be = new TextDecoder("utf-16be")
const latin1 = new TextDecoder("latin1")

/**
 * Decodes UTF-8, UTF-16 and UTF-32 (recognized by a byte order mark or by zero bytes), otherwise Latin-1. The result
 * has no byte order mark.
 */
export const decode = (bytes: Uint8Array): string => {
  const wide = wideEncoding(bytes)
  if (wide === "utf-16le") return utf16le.decode(bytes)
  if (wide === "utf-16be") return utf16be.decode(bytes)
  if (wide !== undefined) return decodeUtf32(bytes, wide === "utf-32le")
  try {
    return utf8.decode(bytes)
  } catch {
    return latin1.decode(bytes)
  }
}

/** Whether the text is UTF-16 or UTF-32: it is not binary, although it may contain zero bytes. */
export const isWide = (bytes: Uint8Array): boolean => wideEncoding(bytes) !== undefined

/** Whether the first 8,000 bytes contain a zero, which is git's criterion, and the text is not UTF-16 or UTF-32. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, examined).includes(0) && !isWide(bytes)

const examined = 8000

const wideEncoding = (bytes: Uint8Array): "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be" | undefined => {
  const [a, b, c, d] = bytes
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length >= 4 ? "utf-32le" : "utf-16le"
  if (a === 0xfe && b === 0xff) return "utf-16be"
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "utf-32be"
  if ((a === 0) === (b === 0) || bytes.length < 8) return undefined
  return isUnmarkedUtf16(bytes.subarray(0, examined & ~1), a === 0 ? 0 : 1)
    ? a === 0
      ? "utf-16be"
      : "utf-16le"
    : undefined
}

/** Whether every other byte, from `zeros` on, is zero, and the bytes between are printable ASCII or white space. */
const isUnmarkedUtf16 = (bytes: Uint8Array, zeros: 0 | 1): boolean => {
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const byte = bytes[i + 1 - zeros] ?? 0
    if (bytes[i + zeros] !== 0 || byte > 126 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false
  }
  return true
}

const decodeUtf32 = (bytes: Uint8Array, littleEndian: boolean): string => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ""
  for (let i = 4; i + 4 <= bytes.length; i += 4) {
    const code = view.getUint32(i, littleEndian)
    text += String.fromCodePoint(code > 0x10ffff ? 0xfffd : code)
  }
  return text
}

/** Undefined if the bytes are not UTF-8. A byte order mark is kept. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8WithMark.decode(bytes)
  } catch {
    return undefined
  }
}

export const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (chunks.length === 1) return chunks[0] ?? new Uint8Array()
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

/** Decodes a file name in git's output, which is quoted if it contains special characters. */
export const unquote = (name: Uint8Array): Uint8Array => {
  if (name[0] !== 34) return name
  const out: Array<number> = []
  for (let i = 1; i < name.length && name[i] !== 34; i++) {
    if (name[i] !== 92) {
      out.push(name[i] ?? 0)
      continue
    }
    i++
    const escaped = String.fromCharCode(name[i] ?? 0)
    const code = escapes[escaped]
    if (code === undefined) {
      out.push(Number.parseInt(latin1.decode(name.subarray(i, i + 3)), 8))
      i += 2
    } else out.push(code)
  }
  return Uint8Array.from(out)
}

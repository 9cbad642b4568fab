/** Text out of bytes of any encoding, and out of what git quotes. */

const utf8 = new TextDecoder("utf-8", { fatal: true })
const utf16le = new TextDecoder("utf-16le")
const utf16be = new TextDecoder("utf-16be")
const latin1 = new TextDecoder("latin1")

/** UTF-8, UTF-16 where a byte order mark says so, and Latin-1 where it is neither. The mark is not part of the text. */
export const decode = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16le.decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16be.decode(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    return latin1.decode(bytes)
  }
}

/** Has a byte order mark of UTF-16: not binary, although every other byte may be zero. */
export const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** A zero among the first 8,000 bytes, as git judges it, unless they are UTF-16. */
export const isBinary = (bytes: Uint8Array): boolean => !isUtf16(bytes) && bytes.subarray(0, 8000).includes(0)

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

/** A name as git writes it in a header, between quotes where it holds what would break the line. */
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

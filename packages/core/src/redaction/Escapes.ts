/**
 * Decodes the escapes of JSON, URLs and HTML, including nested ones, and records for each byte its position in the
 * source.
 *
 * The result is a canonical form, not what a parser of one of these formats returns: every escape of every format is
 * decoded until none is left. Applied to a value and to a text, it finds the value in any mixture of escapes.
 */

/** A byte array whose capacity may be larger than `length`, also accessible as 32-bit words. */
export class Bytes {
  bytes: Uint8Array
  words: Int32Array
  length: number

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.bytes = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
    this.words = wordsOf(this.bytes)
    this.length = bytes.length
  }
}

const wordsOf = (bytes: Uint8Array) => new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)

/** Bytes with their positions in the source. The byte 255, which UTF-8 never contains, is reserved for separators. */
export class DecodedBytes extends Bytes {
  starts = new Int32Array(0)
  ends = new Int32Array(0)
  /** Whether the source contained line breaks. */
  hasLineBreaks = false

  reset(capacity: number): this {
    if (this.bytes.length < capacity) this.#resize(capacity)
    this.length = 0
    this.hasLineBreaks = false
    return this
  }

  /** Adds a byte; consecutive white space is merged into one space. */
  push(byte: number, start: number, end: number): void {
    const last = this.length - 1
    // The length of merged white space is limited, so that matches have a maximum length in the text and a stream knows
    // how much to hold back.
    const isRepeated = isSpace(byte) && last >= 0 && this.bytes[last] === space
    if (isRepeated && end - (this.starts[last] ?? 0) <= maxEscapeLength) this.ends[last] = end
    else this.append(byte, start, end)
  }

  /** Removes zero bytes, which turns UTF-16 of ASCII into ASCII. Returns whether there were any. */
  removeZeros(): boolean {
    const { bytes, ends, length, starts } = this
    let kept = bytes.subarray(0, length).indexOf(0)
    if (kept === -1) return false
    for (let at = kept; at < length; at++) {
      if (bytes[at] === 0) {
        if (kept > 0) ends[kept - 1] = ends[at] ?? 0
        continue
      }
      bytes[kept] = bytes[at] ?? 0
      starts[kept] = starts[at] ?? 0
      ends[kept++] = ends[at] ?? 0
    }
    this.length = kept
    return true
  }

  append(byte: number, start: number, end: number): void {
    if (this.length === this.bytes.length) this.#resize(Math.max(64, this.length * 2))
    this.bytes[this.length] = isSpace(byte) ? space : byte === 0xff ? 0xfe : byte
    this.starts[this.length] = start
    this.ends[this.length++] = end
  }

  #resize(capacity: number): void {
    const { bytes, ends, starts } = this
    this.bytes = new Uint8Array((capacity + 3) & ~3)
    this.words = wordsOf(this.bytes)
    this.starts = new Int32Array(this.bytes.length)
    this.ends = new Int32Array(this.bytes.length)
    this.bytes.set(bytes)
    this.starts.set(starts)
    this.ends.set(ends)
  }
}

const space = 0x20

const isSpace = (byte: number): boolean => byte === space || (byte >= 0x09 && byte <= 0x0d)

/** Maps each byte to the byte that it is compared as: letters to lower case, white space to a space. */
export const fold = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20
  return isSpace(byte) ? space : byte
})

/** Maximum number of source bytes for one decoded byte. Longer escapes are not decoded. */
export const maxEscapeLength = 48

const [backslash, percent, ampersand, newline, carriageReturn] = [0x5c, 0x25, 0x26, 0x0a, 0x0d] as const

export const isIntroducer = (byte: number | undefined): boolean =>
  byte === backslash || byte === percent || byte === ampersand

const isLineBreak = (byte: number | undefined): boolean => byte === newline || byte === carriageReturn

/** Parses one escape. The fields are valid until the next call. */
class EscapeReader {
  /** A code point, or a byte of UTF-8 if {@link isByte}; -1 if the escape has no value. */
  code = 0
  isByte = false
  end = 0

  read(bytes: Uint8Array, start: number, to: number): boolean {
    const at = start + 1
    this.isByte = false
    switch (bytes[start]) {
      case backslash:
        return this.#readBackslash(bytes, at, to)
      case percent: {
        const byte = hexAt(bytes, at, 2, to)
        this.isByte = byte >= 0x80
        if (byte !== -1) return this.#set(byte, at + 2)
        const unit = bytes[at] === 0x75 ? hexAt(bytes, at + 1, 4, to) : -1
        return unit !== -1 && this.#set(unit, at + 5)
      }
      case ampersand:
        return this.#readEntity(bytes, at, to)
      default:
        return false
    }
  }

  #set(code: number, end: number): true {
    this.code = code
    this.end = end
    return true
  }

  /** The backslash of an unknown escape is dropped. */
  #readBackslash(bytes: Uint8Array, at: number, to: number): boolean {
    if (at >= to) return this.#set(-1, at)
    const next = bytes[at] ?? 0
    const digits = next === 0x75 ? 4 : next === 0x78 ? 2 : 0
    const unit = digits === 0 ? -1 : hexAt(bytes, at + 1, digits, to)
    if (unit !== -1) return this.#set(unit, at + 1 + digits)
    this.isByte = next >= 0x80
    return this.#set(controls.get(next) ?? next, at + 1)
  }

  #readEntity(bytes: Uint8Array, from: number, to: number): boolean {
    let at = from
    let text = ""
    while (at < to && text.length < maxEntityLength && bytes[at] !== 0x3b) text += String.fromCharCode(bytes[at++] ?? 0)
    if (at >= to || bytes[at] !== 0x3b) return false
    const name = text.toLowerCase()
    const code = /^#x[\da-f]+$/u.test(name)
      ? Number.parseInt(name.slice(2), 16)
      : /^#\d+$/u.test(name)
        ? Number(name.slice(1))
        : entities.get(name)
    return code !== undefined && code <= 0x10ffff && this.#set(code, at + 1)
  }
}

const maxEntityLength = 10

const entities = new Map([
  ["amp", ampersand],
  ["lt", 0x3c],
  ["gt", 0x3e],
  ["quot", 0x22],
  ["apos", 0x27],
  ["nbsp", space]
])

/** The letters of JSON's short escapes, with their control characters. */
const controls = new Map([
  [0x62, 8],
  [0x66, 12],
  [0x6e, newline],
  [0x72, carriageReturn],
  [0x74, 9]
])

/** The value of exactly `digits` hexadecimal digits; -1 if there are fewer. */
const hexAt = (bytes: Uint8Array, at: number, digits: number, to: number): number => {
  if (at + digits > to) return -1
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const digit = hexValue[bytes[i] ?? 0] ?? -1
    if (digit === -1) return -1
    value = value * 16 + digit
  }
  return value
}

/** The value of a hexadecimal digit by its byte; -1 for other bytes. */
export const hexValue = Int8Array.from({ length: 256 }, (_, byte) => {
  return "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase())
})

/** `starts` and `ends` are the positions of each byte in the original text; undefined for the original itself. */
export interface Source {
  readonly bytes: Uint8Array
  readonly starts?: Int32Array | undefined
  readonly ends?: Int32Array | undefined
}

export class EscapeDecoder {
  #decoded = new DecodedBytes()
  #other = new DecodedBytes()

  /**
   * The result is valid until the next call. `onPass` gets the result of each pass, which finds values like an escape.
   */
  decode(
    source: Uint8Array,
    from: number,
    to: number,
    joinsLines = false,
    onPass: (decoded: DecodedBytes) => void = () => {}
  ): DecodedBytes {
    let isDone = !decodeOnce({ bytes: source }, from, to, this.#decoded.reset(to - from), joinsLines)
    onPass(this.#decoded)
    for (let pass = 1; !isDone && pass < maxPasses; pass++) {
      const decoded = this.#other.reset(this.#decoded.length)
      isDone = !decodeOnce(this.#decoded, 0, this.#decoded.length, decoded, joinsLines)
      this.#other = this.#decoded
      this.#decoded = decoded
      if (!isDone) onPass(decoded)
    }
    return this.#decoded
  }
}

/** Enough, because services escape text twice or three times. */
const maxPasses = 5

const reader = new EscapeReader()

/** Decodes each escape once; returns whether there was one. */
const decodeOnce = (
  { bytes, ends, starts }: Source,
  from: number,
  to: number,
  decoded: DecodedBytes,
  joinsLines: boolean
): boolean => {
  const startOf = (at: number) => (starts === undefined ? at : (starts[at] ?? 0))
  const endOf = (at: number) => (ends === undefined ? at : (ends[at - 1] ?? 0))
  let hasEscapes = false
  let at = from
  while (at < to) {
    const start = startOf(at)
    const byte = bytes[at] ?? 0
    let code = byte
    let isByte = true
    let next = at + 1
    if (isIntroducer(byte) && reader.read(bytes, at, to) && endOf(reader.end) - start <= maxEscapeLength) {
      hasEscapes = true
      code = reader.code
      isByte = reader.isByte
      next = reader.end
    }
    at = next
    if (code < 0) continue
    if (isLineBreak(code)) {
      decoded.hasLineBreaks = true
      if (joinsLines) continue
    }
    if (isByte || code < 0x80) {
      decoded.push(code, start, endOf(at))
      continue
    }
    let character = String.fromCodePoint(code)
    if (code >= 0xd800 && code <= 0xdbff && at < to && reader.read(bytes, at, to)) {
      if (reader.code >= 0xdc00 && reader.code <= 0xdfff) {
        character += String.fromCharCode(reader.code)
        at = reader.end
      }
    }
    for (const part of toUtf8(foldCase(character))) decoded.push(part, start, endOf(at))
  }
  return hasEscapes
}

const encoder = new TextEncoder()

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Folds case and white space, including non-ASCII characters, without changing the length. */
export const foldCase = (text: string): string => text.replaceAll(beyondAscii, foldUnit)

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007F]/g

/** Converts to upper case first, because some letters have two lower-case forms. */
const foldUnit = (unit: string): string => {
  if (/\s/u.test(unit)) return " "
  const upper = unit.toUpperCase()
  const lower = (upper.length === 1 ? upper : unit).toLowerCase()
  return lower.length === 1 ? lower : unit
}

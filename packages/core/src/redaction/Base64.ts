/** Base64 and hexadecimal digits are found at every alignment, in both alphabets and both cases. */
import { type DecodedBytes, hexValue, type Source } from "./Escapes.ts"

/** Base64 has four alignments, so shorter values would match too many texts by chance. */
export const minBase64Value = 6
export const minHexValue = 4

export interface Encoded extends Source {
  readonly length: number
}

/** Six bits per character; -1 for a character of neither alphabet. */
const sextets = new Int8Array(256).fill(-1)
for (const [value, character] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
).entries()) {
  sextets[character.charCodeAt(0)] = value
}
sextets[0x2d] = 62
sextets[0x5f] = 63

/**
 * Four bits per character: whether the first, second or third byte of a group would be ASCII if the character were the
 * first, second or third of the group, and whether the character is base64. The bits of eight characters fit in 32
 * bits, so one comparison tells whether six consecutive bytes may be ASCII.
 */
const asciiBits = Uint8Array.from(sextets, (sextet) =>
  sextet === -1 ? 0 : ((sextet & 32) === 0 ? 1 : 0) | ((sextet & 8) === 0 ? 2 : 0) | ((sextet & 2) === 0 ? 4 : 0) | 8
)

/** The required bits of eight characters, if the first is at position 1, 2 or 3 of its group. */
const [wholeGroups, fromSecond, fromThird] = [0x12481248, 0x24812481 | 0, 0x48124812 | 0] as const
/** The required bits if the bytes need not be ASCII. */
const anyCharacters = [0x88888888 | 0, 0x88888888 | 0, 0x88888888 | 0] as const

interface Base64Options {
  /** Most base64-like runs cannot encode ASCII, and are skipped without decoding. */
  readonly isAsciiOnly: boolean
  /** Length of the shortest value in bytes. */
  readonly minBytes: number
}

/** Decodes parts of the text that may be base64 of a value, and calls `scan` with the bytes of each part. */
export const decodeBase64 = (
  source: Encoded,
  { isAsciiOnly, minBytes }: Base64Options,
  decoded: DecodedBytes,
  scan: (decoded: DecodedBytes) => void
): void => {
  const { bytes, length } = source
  const [first, second, third] = isAsciiOnly ? [wholeGroups, fromSecond, fromThird] : anyCharacters
  /** Per alignment, the position up to which the text is already decoded. */
  const done = new Int32Array(4)
  const decode = (group: number) => {
    const phase = group & 3
    if (group < (done[phase] ?? 0)) return
    let end = group
    while (end + 4 <= length && (groupBits(bytes, end) & first & 0xffff) === (first & 0xffff)) end += 4
    done[phase] = end
    decodeGroups(source, group - 4, end + 4, decoded)
    scan(decoded)
    if (decoded.removeZeros()) scan(decoded)
  }
  // Eight bytes include two whole groups; seven and six may include only one, and parts of two others.
  const isShort = minBytes < 8
  const patterns = isShort ? ([first, second, third] as const) : ([first, first, first] as const)
  for (let at = nextMatch(bytes, 0, length, patterns); at < length; at = nextMatch(bytes, at + 1, length, patterns)) {
    const bits = groupBits(bytes, at - 3) | (groupBits(bytes, at - 7) << 16)
    if ((bits & first) === first) decode(at - 7)
    if (isShort && (bits & second) === second) decode(at - 4)
    if (isShort && (bits & third) === third) decode(at - 5)
  }
}

/** The first position, not before `from`, at which the bits of the last eight characters match a pattern. */
const nextMatch = (
  bytes: Uint8Array,
  from: number,
  length: number,
  [first, second, third]: readonly [number, number, number]
): number => {
  let bits = 0
  for (let at = Math.max(0, from - 7); at < from; at++) bits = (bits << 4) | (asciiBits[bytes[at] ?? 0] ?? 0)
  for (let at = from; at < length; at++) {
    bits = (bits << 4) | (asciiBits[bytes[at] ?? 0] ?? 0)
    if ((bits & first) === first || (bits & second) === second || (bits & third) === third) return at
  }
  return length
}

const groupBits = (bytes: Uint8Array, at: number): number =>
  ((asciiBits[bytes[at] ?? 0] ?? 0) << 12) |
  ((asciiBits[bytes[at + 1] ?? 0] ?? 0) << 8) |
  ((asciiBits[bytes[at + 2] ?? 0] ?? 0) << 4) |
  (asciiBits[bytes[at + 3] ?? 0] ?? 0)

/** Decodes groups of four characters. Characters outside the alphabets or the text count as zero. */
const decodeGroups = ({ bytes, ends, length, starts }: Encoded, first: number, end: number, decoded: DecodedBytes) => {
  decoded.reset(end - first)
  const sextet = (at: number) => (at < 0 || at >= length ? 0 : Math.max(0, sextets[bytes[at] ?? 0] ?? 0))
  const push = (byte: number, at: number) => {
    const start = Math.max(0, at)
    const last = Math.min(at + 1, length - 1)
    if (start > last) return
    decoded.append(byte & 0xff, starts?.[start] ?? start, ends?.[last] ?? last + 1)
  }
  for (let at = first; at < end; at += 4) {
    const [a, b, c, d] = [sextet(at), sextet(at + 1), sextet(at + 2), sextet(at + 3)]
    push((a << 2) | (b >> 4), at)
    push((b << 4) | (c >> 2), at + 1)
    push((c << 6) | d, at + 2)
  }
}

/** Calls `scan` with the bytes of each run of at least `minDigits` hexadecimal digits, at both alignments. */
export const decodeHex = (
  { bytes, ends, length, starts }: Encoded,
  minDigits: number,
  decoded: DecodedBytes,
  scan: (decoded: DecodedBytes) => void
): void => {
  // Checking one in `minDigits` positions finds every run that is long enough.
  for (let sample = minDigits - 1; sample < length; sample += minDigits) {
    if (!isHex(bytes[sample])) continue
    let start = sample
    let end = sample + 1
    while (start > 0 && isHex(bytes[start - 1])) start--
    while (end < length && isHex(bytes[end])) end++
    if (end - start >= minDigits) {
      for (const first of [start, start + 1]) {
        decoded.reset((end - start) >> 1)
        for (let i = first; i + 1 < end; i += 2) {
          const byte = ((hexValue[bytes[i] ?? 0] ?? 0) << 4) | (hexValue[bytes[i + 1] ?? 0] ?? 0)
          decoded.append(byte, starts?.[i] ?? i, ends?.[i + 1] ?? i + 2)
        }
        scan(decoded)
        if (decoded.removeZeros()) scan(decoded)
      }
    }
    while (sample < end) sample += minDigits
    sample -= minDigits
  }
}

const isHex = (byte: number | undefined) => (hexValue[byte ?? 0] ?? -1) !== -1

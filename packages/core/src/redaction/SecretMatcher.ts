/**
 * Finds and redacts given secrets in text in any notation: as written, in any case, escaped for JSON, URLs or HTML
 * (also repeatedly and mixed), in base64 at any alignment or in hexadecimal digits.
 *
 * Parts of secrets are found too: every run of eight bytes is redacted, because a service may echo a part. A single
 * word of a secret (letters, at most a third of the secret), the scheme and host of a URL in it, and a repeated
 * character do not match by themselves. The work is linear in the length of the text and of all values.
 */
import { decodeBase64, decodeHex, type Encoded, minBase64Value, minHexValue } from "./Base64.ts"
import { Bytes, DecodedBytes, EscapeDecoder, fold, foldCase, isIntroducer, maxEscapeLength, toUtf8 } from "./Escapes.ts"
import { type Emit, type Form, GramIndex, maxRun, minRun } from "./GramIndex.ts"
import { ordinaryParts } from "./OrdinaryParts.ts"

/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface SecretMatcher {
  /** In ascending order, with other text between them. The whole text if the search fails. */
  readonly find: (text: string) => ReadonlyArray<Span>
  /** The result only contains the length of the text if the search fails. Never throws. */
  readonly redact: (text: string, replacement: string) => string
  /** Like `redact`, for a text in chunks, which may split a secret. */
  readonly redactChunks: (replacement: string) => ChunkRedactor
}

export interface ChunkRedactor {
  /** Adds a chunk, and returns text that is already redacted. Holds back the end, where a secret may begin. */
  readonly push: (chunk: string) => string
  /** Returns the text that was held back. */
  readonly end: () => string
}

export interface MatcherOptions {
  /** Values that may consist of ordinary text: only the whole value, or a run of 64 bytes, is redacted. */
  readonly wholes?: Iterable<string>
}

export const makeSecretMatcher = (secrets: Iterable<string>, options: MatcherOptions = {}): SecretMatcher => {
  const search = attempt(() => makeSearch(secrets, options.wholes ?? []))
  const spansOf = (text: string) => attempt(() => search?.(text))
  return {
    find: (text) => spansOf(text) ?? (text === "" ? [] : [{ start: 0, end: text.length }]),
    redact: (text, replacement) => {
      const spans = spansOf(text)
      return spans === undefined ? withholdText(text.length) : replaceSpans(text, spans, replacement)
    },
    redactChunks: (replacement) => makeChunkRedactor(spansOf, replacement)
  }
}

/** Wraps a redaction. If it throws, the result only contains the length of the text. */
export const failClosed =
  (redact: (text: string) => string): ((text: string) => string) =>
  (text) =>
    attempt(() => redact(text)) ?? withholdText(text.length)

/** Undefined if `evaluate` throws. The error is dropped, because it may quote a secret. */
const attempt = <A>(evaluate: () => A): A | undefined => {
  try {
    return evaluate()
  } catch {
    return undefined
  }
}

const withholdText = (length: number) => `[${length} characters withheld]`

const replaceSpans = (text: string, spans: ReadonlyArray<Span>, replacement: string): string => {
  let replaced = ""
  let at = 0
  for (const { end, start } of spans) {
    replaced += text.slice(at, start) + replacement
    at = end
  }
  return at === 0 ? text : replaced + text.slice(at)
}

type Search = (text: string) => ReadonlyArray<Span>

const makeSearch = (secrets: Iterable<string>, wholes: Iterable<string>): Search => {
  const searched = new Set(secrets)
  const others = Array.from(new Set(wholes)).filter((value) => !searched.has(value))
  const forms = Array.from(searched, (value) => formsOf(value, true))
    .concat(others.map((value) => formsOf(value, false)))
    .flat()
  if (forms.length === 0) return () => []
  const index = new GramIndex(forms)
  const isAsciiOnly = forms.every(({ isAscii }) => isAscii)
  return (text) => findSpans(index, isAsciiOnly, text)
}

/** The canonical forms of a value: as written, with its escapes decoded, and as in a form field. */
const formsOf = (value: string, isSecret: boolean): ReadonlyArray<Form> => {
  const forms: Array<Form> = []
  const utf8 = toUtf8(value)
  const isAscii = utf8.length === value.length
  const add = (bytes: Uint8Array, cased: Uint8Array) => {
    const folded = new Uint8Array(bytes.length)
    for (let at = 0; at < bytes.length; at++) folded[at] = fold[bytes[at] ?? 0] ?? 0
    if (bytes.length === 0 || forms.some((form) => isEqual(form.bytes, folded))) return
    const needed = Math.min(bytes.length, isSecret ? minRun : maxRun)
    forms.push({ bytes: folded, isAscii, needed, ordinary: isSecret ? ordinaryParts(folded, cased) : [] })
  }
  const addDecoded = (decoded: DecodedBytes, source: Uint8Array) =>
    add(decoded.bytes.subarray(0, decoded.length), restoreCase(decoded, source))
  const hasSpace = /\s/u.test(value)
  const hasEscapes = escapes.test(value)
  // Form fields encode a space as a plus sign.
  const variants = hasSpace ? [value, value.replaceAll(" ", "+")] : [value]
  for (const source of variants.flatMap((text) => encodingsOf(text, isAscii))) {
    const minLength = Math.min(source.length, minBase64Value)
    if (isAscii && !hasSpace) add(source, source)
    else addDecoded(copy(source, true), source)
    // In base64 and hexadecimal digits, white space is not merged.
    if (hasSpace) addDecoded(copy(source, false), source)
    if (!hasEscapes) continue
    const decoded = decoder.decode(source, 0, source.length)
    // If a value consists of hardly more than escapes, the rest is too short and may occur in any text.
    if (decoded.length >= minLength) addDecoded(decoded, source)
  }
  return forms
}

/** A canonical form with the original case of its letters. */
const restoreCase = ({ length, starts }: DecodedBytes, source: Uint8Array): Uint8Array => {
  const cased = new Uint8Array(length)
  for (let at = 0; at < length; at++) cased[at] = source[starts[at] ?? 0] ?? 0
  return cased
}

const escapes = /[\\%&]/u

const copy = (source: Uint8Array, collapsesSpace: boolean): DecodedBytes => {
  const bytes = copied.reset(source.length)
  for (let at = 0; at < source.length; at++) {
    if (collapsesSpace) bytes.push(source[at] ?? 0, at, at + 1)
    else bytes.append(source[at] ?? 0, at, at + 1)
  }
  return bytes
}

const copied = new DecodedBytes()
const decoder = new EscapeDecoder()

const encodingsOf = (value: string, isAscii: boolean): ReadonlyArray<Uint8Array> => {
  const utf8 = toUtf8(value)
  const encodings = [utf8]
  if (!isAscii) {
    const upper = value.toUpperCase()
    for (const text of [value, upper, value.normalize("NFC"), value.normalize("NFD")]) {
      encodings.push(toUtf8(foldCase(text)))
    }
    encodings.push(toUtf8(upper))
    if (value.length >= minBase64Value) encodings.push(utf16(value))
  }
  if (utf8.length < minBase64Value) {
    // Base64 of a short value is only found by itself, not within other base64.
    const base64 = btoa(String.fromCharCode(...utf8)).replace(/=+$/u, "")
    encodings.push(toUtf8(base64), toUtf8(base64.replaceAll("+", "-").replaceAll("/", "_")))
  }
  return encodings
}

/** Some shells encode in UTF-16. Zero bytes are ignored anyway. */
const utf16 = (value: string): Uint8Array => {
  const bytes = new Uint8Array(value.length * 2)
  for (let i = 0; i < value.length; i++) {
    bytes[2 * i] = value.charCodeAt(i) & 0xff
    bytes[2 * i + 1] = value.charCodeAt(i) >> 8
  }
  return bytes
}

const isEqual = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** The spans that match in any reading of the text; adjacent spans are joined. */
const findSpans = (index: GramIndex, isAsciiOnly: boolean, text: string): ReadonlyArray<Span> => {
  const utf8 = toUtf8(text)
  const isAscii = utf8.length === text.length
  const bytes = isAscii ? utf8 : toUtf8(foldCase(text))
  const matches: Array<Match> = []
  const emit: Emit = (start, end, needed) => {
    matches.push({ start, end, needed })
  }
  const source = new Bytes(bytes)
  index.scan(source, 1, emit)
  const scanEncoded = makeEncodedScan(index, isAsciiOnly, emit)
  scanEncoded(source)
  scanEscaped(index, source, scanEncoded, emit)
  const spans = joinMatches(matches)
  const units = isAscii || spans.length === 0 ? undefined : unitPositions(bytes)
  return spans.map(({ end, start }) =>
    trimSpan(text, units?.[start] ?? start, units === undefined ? end : unitEnd(units, end))
  )
}

/** Excludes white space at both ends of a match. */
const trimSpan = (text: string, first: number, last: number): Span => {
  let start = first
  let end = last
  while (start < end - 1 && text.charAt(start) === " ") start++
  while (end > start + 1 && text.charAt(end - 1) === " ") end--
  return { start, end }
}

const makeEncodedScan = (index: GramIndex, isAsciiOnly: boolean, emit: Emit) => {
  const shortest = Math.min(minRun, index.shortest)
  const minBytes = Math.max(minBase64Value, shortest)
  const minDigits = 2 * Math.max(minHexValue, shortest)
  const decoded = new DecodedBytes()
  const scanBase64 = () => scanDecoded(index, decoded, minBase64Value, emit)
  const scanHex = () => scanDecoded(index, decoded, minHexValue, emit)
  return (source: Encoded): void => {
    decodeBase64(source, { isAsciiOnly, minBytes }, decoded, scanBase64)
    decodeHex(source, minDigits, decoded, scanHex)
  }
}

/** Number of bytes to decode before and after an escape: at least a run of `minRun` in base64. */
const margin = 2 * minRun

/** Scans the decoded text around escapes and white space. Elsewhere, the text has only one reading. */
const scanEscaped = (
  index: GramIndex,
  { bytes, length }: Bytes,
  scanEncoded: (source: Encoded) => void,
  emit: Emit
): void => {
  const scanPass = (decoded: DecodedBytes) => scanDecoded(index, decoded, 1, emit)
  const scan = (from: number, to: number) => {
    const decoded = decoder.decode(bytes, from, to, false, scanPass)
    // Base64 may contain line breaks.
    scanEncoded(decoded.hasLineBreaks ? decoder.decode(bytes, from, to, true) : decoded)
  }
  let start = 0
  let end = -1
  for (let at = nextEscape(bytes, 0, length); at < length; at = nextEscape(bytes, at + 1, length)) {
    if (at - margin > end) {
      if (end !== -1) scan(start, end)
      start = Math.max(0, at - margin)
    }
    end = Math.min(length, at + maxEscapeLength + margin)
  }
  if (end !== -1) scan(start, end)
}

/** The first position, not before `from`, where an escape begins or white space is read as another byte. */
const nextEscape = (bytes: Uint8Array, from: number, length: number): number => {
  let before = from === 0 ? 0 : (escapeKinds[bytes[from - 1] ?? 0] ?? 0)
  for (let at = from; at < length; at++) {
    const kind = escapeKinds[bytes[at] ?? 0] ?? 0
    if ((kind & (before | introduces)) !== 0) return at
    before = kind
  }
  return length
}

/**
 * `introduces` is for bytes that begin an escape or are read as another byte, `repeats` for spaces, which are merged.
 */
const [introduces, repeats] = [1, 2] as const

const escapeKinds = fold.map((folded, byte) => {
  if (byte === 0x20) return repeats
  return isIntroducer(byte) ? introduces : folded === 0x20 ? introduces | repeats : 0
})

const scanDecoded = (index: GramIndex, decoded: DecodedBytes, minLength: number, emit: Emit): void =>
  index.scan(decoded, minLength, (start, end, needed) =>
    emit(decoded.starts[start] ?? 0, decoded.ends[end - 1] ?? 0, needed)
  )

/** For each byte of UTF-8 text, the UTF-16 index of its character; one more entry for the end. */
const unitPositions = (bytes: Uint8Array): Int32Array => {
  const positions = new Int32Array(bytes.length + 1)
  let start = 0
  let next = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80 || byte >= 0xc0) {
      start = next
      next += byte >= 0xf0 ? 2 : 1
    }
    positions[at] = start
  }
  positions[bytes.length] = next
  return positions
}

/** The UTF-16 index after the character that contains the byte before `end`. */
const unitEnd = (positions: Int32Array, end: number): number => {
  let at = end
  while (positions[at] === positions[at - 1]) at++
  return positions[at] ?? 0
}

interface Match extends Span {
  readonly needed: number
}

/** Matches that are long enough when joined with overlapping ones; adjacent spans are joined. */
const joinMatches = (matches: ReadonlyArray<Match>): ReadonlyArray<Span> => {
  const runs: Array<{ -readonly [Key in keyof Match]: Match[Key] }> = []
  for (const match of matches.toSorted((a, b) => a.start - b.start)) {
    const last = runs.at(-1)
    if (last === undefined || match.start >= last.end) runs.push({ ...match })
    else {
      last.end = Math.max(last.end, match.end)
      last.needed = Math.min(last.needed, match.needed)
    }
  }
  const spans: Array<{ start: number; end: number }> = []
  for (const { end, needed, start } of runs) {
    if (end - start < needed) continue
    const last = spans.at(-1)
    if (last?.end === start) last.end = end
    else spans.push({ start, end })
  }
  return spans
}

/** Maximum length of a run in a text, and thus the number of characters to hold back. */
const maxMatchLength = maxRun * 2 * maxEscapeLength

const makeChunkRedactor = (
  spansOf: (text: string) => ReadonlyArray<Span> | undefined,
  replacement: string
): ChunkRedactor => {
  let held = ""
  /** How far the held text is already replaced; -1 if its first character is not. */
  let replaced = -1
  let hasFailed = false

  const take = (isEnd: boolean): string => {
    const spans = hasFailed ? undefined : spansOf(held)
    if (spans === undefined) {
      hasFailed = true
      const { length } = held
      held = ""
      return length === 0 ? "" : withholdText(length)
    }
    const safe = isEnd ? held.length : Math.max(0, held.length - maxMatchLength)
    let taken = ""
    let at = Math.max(0, replaced)
    for (const { end, start } of spans) {
      if (start >= safe) break
      if (start > replaced) taken += held.slice(at, start) + replacement
      at = Math.max(at, end)
      replaced = at
    }
    if (at < safe) {
      taken += held.slice(at, safe)
      at = safe
      replaced = -1
    }
    held = held.slice(safe)
    replaced = replaced === -1 ? -1 : at - safe
    return taken
  }

  return {
    push: (chunk) => {
      held += chunk
      // Waits for twice the held-back length, so that no text is searched more than twice.
      return held.length < 2 * maxMatchLength ? "" : take(false)
    },
    end: () => take(true)
  }
}

/** Finds secrets in base64-encoded text, such as container settings, cloud-init data or a script of PowerShell. */
import { minConfidence } from "../Candidate.ts"
import type { Source } from "../text/Source.ts"
import type { Report, Rule } from "./Rule.ts"
import { bytesOfBase64 } from "../text/Base64.ts"
import { decode } from "../text/Bytes.ts"

export const encodedTexts: Rule = {
  id: "encoded-text",
  keywords: [],
  find: (source, _start, _end, report) => {
    const { bytes, text } = source
    // The bytes of ASCII are faster to read.
    const codes = bytes?.length === text.length ? bytes : undefined
    // No digit precedes `start`. A run has to fill the window after it, which is read backwards to skip most of the text.
    for (let start = 0, at = minRunLength - 1; at < text.length; at = start + minRunLength - 1) {
      if (codes === undefined) while (at >= start && isDigit(text.charCodeAt(at))) at--
      else while (at >= start && isDigit(codes[at] ?? 0)) at--
      if (at >= start) {
        start = at + 1
        continue
      }
      let end = start + minRunLength
      while (isDigit(text.charCodeAt(end))) end++
      if (mayEncodeText(text, start, end)) {
        end = endOfLines(text, start, end)
        findWithin(source, start, end, report)
      }
      start = end
    }
    return text.length
  }
}

const minRunLength = 24

/** The values of the digits of base64 in both alphabets, by code unit; 64 for any other character. */
const digits = new Uint8Array(65_536).fill(64)
Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", (digit, value) => {
  digits[digit.charCodeAt(0)] = value < 64 ? value : value - 2
})

const isDigit = (code: number): boolean => (digits[code] ?? 64) < 64

/**
 * Whether the first characters may encode UTF-8 or UTF-16 without control characters. Nearly all names, paths and random
 * values do not.
 */
const mayEncodeText = (text: string, start: number, end: number): boolean => {
  const to = Math.min(end - 3, start + examined)
  let zeros = 0
  // How many bytes of a character of UTF-8 follow.
  let following = 0
  for (let at = start; at < to; at += 4) {
    let bits = 0
    for (let i = 0; i < 4; i++) bits = bits * 64 + (digits[text.charCodeAt(at + i)] ?? 0)
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 255
      if (following > 0 !== (byte >> 6 === 2)) return false
      if (following > 0) following--
      else if (byte >= 192) following = byte < 224 ? 1 : byte < 240 ? 2 : 3
      else if (byte === 0) zeros++
      else if (byte === 127 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false
    }
  }
  // UTF-16 has a zero in every character of ASCII.
  return zeros === 0 || zeros * 3 > to - start
}

const examined = 64

/** The end of the lines that `base64` wraps a long text into: full ones, and a last one. */
const endOfLines = (text: string, start: number, to: number): number => {
  const length = to - start
  if (length < minLineLength || length % 4 !== 0) return to
  let end = to
  for (;;) {
    lineAfter.lastIndex = end
    const line = lineAfter.exec(text)
    const written = line?.[1]?.length ?? 0
    if (line === null || written > length) return end
    end += line[0].length
    if (written < length) return end
  }
}

const minLineLength = 60
const lineAfter = /[ \t]{0,40}\r?\n[ \t]{0,40}([\w+/-]{1,1024}={0,2})(?=[ \t]{0,40}(?:["'<]|\r?$))/my

const findWithin = (source: Source, start: number, end: number, report: Report): void => {
  const { text } = source
  // A source map in a data URL only repeats the source code, and the parts of a JSON Web Token have a rule of their own.
  if (sourceMap.test(source.before(start, 80)) || text.charAt(start - 1) === "." || text.charAt(end) === ".") return
  const bytes = bytesOfBase64(text.slice(start, end).replace(/\s+/g, ""))
  if (bytes !== undefined) reportWithin(source, decode(bytes), "", start, end, report)
}

const sourceMap = /json[^,\n]{0,40};base64,$/

/** Scans decoded base64. False if it is binary or has no candidates, so that the caller may report it as one value. */
export const reportWithin = (
  source: Source,
  decoded: string,
  path: string,
  start: number,
  end: number,
  report: Report
): boolean => {
  if (controls.test(decoded)) return false
  const found = source.within(decoded, path).filter(({ confidence }) => confidence >= minConfidence)
  // Positions are approximate: proportional to the offset in the decoded text.
  const positionOf = (offset: number) => Math.min(end, start + Math.floor((offset * (end - start)) / decoded.length))
  for (const finding of found) {
    const from = positionOf(finding.start)
    const to = Math.max(from + 1, positionOf(finding.end))
    report({ ...finding, rule: encodedTexts.id, start: from, end: to })
  }
  return found.length > 0
}

// oxlint-disable-next-line no-control-regex -- binary data is recognized by its control characters
const controls = /[\0-\x08\x0e-\x1f\x7f-\x9f\ufffd]/

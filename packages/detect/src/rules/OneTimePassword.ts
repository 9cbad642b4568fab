/** Finds seeds of one-time passwords: base32 values in a text that mentions such passwords. */
import { randomness } from "../scoring/Randomness.ts"
import { matchAt } from "../text/MatchAt.ts"
import type { Source } from "../text/Source.ts"
import type { Span } from "../text/Spans.ts"
import type { Report, Rule } from "./Rule.ts"

const keywords = [
  "otp",
  "authenticator",
  "2fa",
  "mfa",
  "tfa",
  "two_factor",
  "two-factor",
  "two factor",
  "twofactor",
  "base32",
  "b32decode",
  "oathtool",
  "getcode("
]

export const oneTimePasswordSeeds: Rule = {
  id: "one-time-password",
  keywords,
  find: (source, keywordStart, keywordEnd, report) => {
    // A mention makes the whole text be searched, so keywords that are no mention, which is nearly all of them, are
    // skipped first.
    if (!isMention(source.text, keywordStart, keywordEnd)) return keywordEnd
    for (const span of runsOfBase32(source.text)) {
      if (mayBeSeed(source, span)) reportSeed(source, span, report)
    }
    return source.text.length
  }
}

/** Seeds in groups of four, as authenticator apps show them, after a mention on the same line. */
export const groupedSeeds: Rule = {
  id: oneTimePasswordSeeds.id,
  keywords,
  find: (source, keywordStart, keywordEnd, report) => {
    if (!isMention(source.text, keywordStart, keywordEnd)) return keywordEnd
    const lineEnd = Math.min(source.lineEnd(keywordEnd), keywordStart + maxBefore + maxGrouped + 1)
    for (const { 0: rest, index } of source.text.slice(keywordStart, lineEnd).matchAll(groups)) {
      const start = keywordStart + index - 4
      const isNear = start >= keywordEnd && start <= keywordStart + maxBefore
      if (isNear) reportSeed(source, { start, end: start + 4 + rest.length }, report)
    }
    return keywordEnd
  }
}

const reportSeed = (source: Source, { end, start }: Span, report: Report) => {
  // The separators between groups are not part of the seed.
  const value = source.text.slice(start, end).replace(/[ -]/g, "").toUpperCase()
  if (!hexadecimal.test(value) && randomness(value) >= 0.5) {
    report({ form: "token", value, kind: "generic-secret", start, end })
  }
}

/** True in `userOtp`, `OTP_SEED` and `totp`; false in `footprint`, `HOTPLUG`, `HotPath` and `0x2fa1`. */
const isMention = (text: string, start: number, end: number): boolean => {
  const written = text.slice(start, end)
  const before = text.slice(Math.max(0, start - 2), start)
  if (written.length === 3 && !abbreviation.test(written)) return false
  if (written.startsWith("2") && partOfNumber.test(before)) return false
  const wordStart = timeBased.test(before) ? start - 1 : start
  const beginsWithin = /^(?:[a-z]{2}|[A-Z]{2}|[A-Z][a-z])/.test(text.slice(wordStart - 1, wordStart + 1))
  const endsWithin = /^(?:[a-z]{2}|[A-Z]{2})/.test(text.slice(end - 1, end + 1))
  return !(beginsWithin && endsWithin)
}

const abbreviation = /^(?:[a-z]{3}|[A-Z]{3}|[A-Z][a-z]{2}|2fa|2FA)$/
const partOfNumber = /[\d%]$|0x$/i
/** Matches the first letter of `totp`, which precedes the keyword `otp`. */
const timeBased = /(?:^|[^a-zA-Z])[tT]$|[a-z]T$/

/**
 * Base32 runs for 10 to 40 bytes. Every run has at least `minRunLength` characters, so checking one character in so
 * many finds all.
 */
const runsOfBase32 = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let at = minRunLength - 1; at < text.length; at += minRunLength) {
    if (!isBase32(text.charCodeAt(at))) continue
    let start = at
    while (isBase32(text.charCodeAt(start - 1))) start--
    const run = beginsSeed(text, start) ? matchAt(base32, text, start) : null
    if (run !== null) found.push({ start, end: start + run[0].length })
    while (isBase32(text.charCodeAt(at + 1))) at++
  }
  return found
}

/** Capital letters, and the digits from 2 to 7. */
const isBase32 = (code: number) => (code >= 65 && code <= 90) || (code >= 50 && code <= 55)

const beginsSeed = (text: string, start: number) => start === 0 || !/[\w+/.%-]/.test(text.charAt(start - 1))

const minRunLength = 16
const base32 = /[A-Z2-7]{16,64}={0,6}(?![\w+/=%-])/y
/** The first group is a lookbehind, so that a match is only tried at separators instead of at every letter. */
const groups =
  /(?:(?<=(?<![\w+/.%-])[A-Z2-7]{4})(?:[ -][A-Z2-7]{4}){3,15}|(?<=(?<![\w+/.%-])[a-z2-7]{4})(?:[ -][a-z2-7]{4}){3,15})(?![\w+/=%-])/g

/** Length of the longest grouped seed. */
const maxGrouped = 79
/** How far before a seed a mention or a name is searched, in characters. */
const maxBefore = 120

const hexadecimal = /^[\dA-F]+$/

/**
 * Whether the value follows a mention of one-time passwords on its line or a name such as `seed`, or is alone on its
 * line, as in `.google_authenticator`.
 */
const mayBeSeed = (source: Source, { end, start }: Span): boolean => {
  const before = source.lineBefore(start, maxBefore)
  return mention.test(before) || seedName.test(before) || isLine(source, start, end)
}

const mention = /otp|authenticator|(?:2|m|(?<![a-z])t)fa|two[-_ ]?factor|b(?:ase)?32|oathtool|getcode\(/i
const seedName = /(?:seed|secret|key)["']?\s*[:=]\s*["'`]?$/i

const isLine = (source: Source, start: number, end: number): boolean =>
  source.lineStart(start) === start && source.lineEnd(end) === end

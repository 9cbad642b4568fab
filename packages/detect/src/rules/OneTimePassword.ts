/** Seeds of one-time passwords: values in base32, in a text that mentions them. */
import { randomness } from "../scoring/Randomness.ts"
import type { Source } from "../text/Source.ts"
import type { Rule } from "./Rule.ts"

export const oneTimePasswordSeeds: Rule = {
  id: "one-time-password",
  keywords: [
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
  ],
  find: (source, _start, _end, report) => {
    for (const { 0: written, index: start } of source.text.matchAll(base32)) {
      const end = start + written.length
      const value = written.replace(/[ -]/g, "").toUpperCase()
      if (mayBeSeed(source, start, end) && !hexadecimal.test(value) && randomness(value) >= 0.5) {
        report({ form: "token", value, kind: "generic-secret", start, end })
      }
    }
    return source.text.length
  }
}

/** 10 to 40 bytes, also in groups of four, as authenticator apps show them: the seed is the same without blanks. */
const base32 =
  /(?<![\w+/.%-])(?:[A-Z2-7]{16,64}={0,6}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{4})(?![\w+/=%-])/g

const hexadecimal = /^[\dA-F]+$/

/** After a mention on its line, after a name such as `seed`, or a line of its own, as in `.google_authenticator`. */
const mayBeSeed = (source: Source, start: number, end: number): boolean => {
  const before = source.text.slice(Math.max(source.lineStart(start), start - 120), start)
  return (
    mention.test(before) ||
    (!/[ -]/.test(source.text.slice(start, end)) && (seedName.test(before) || isLine(source, start, end)))
  )
}

const mention = /otp|authenticator|(?:2|m|(?<![a-z])t)fa|two[-_ ]?factor|b(?:ase)?32|oathtool|getcode\(/i
const seedName = /(?:seed|secret|key)["']?\s*[:=]\s*["'`]?$/i

const isLine = (source: Source, start: number, end: number): boolean =>
  source.lineStart(start) === start && source.lineEnd(end) === end

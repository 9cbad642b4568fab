/**
 * Removes the secrets of a request from its response: a service may echo a password in an error, unchanged or in another
 * encoding.
 */
import { base64FormsOf, hexOf } from "../domain/Secret.ts"

/** Replaces a secret. */
export const scrubbed = "<redacted>"

export interface Scrubber {
  text(text: string): string
  /** Scrubs every string, number and key of a value, at any depth. */
  value(value: unknown): unknown
}

/** Cutting out a shorter secret would reveal it by the gap, so a text that contains one is withheld completely. */
const cutLength = 4

/** The depth up to which a value is searched; deeper values are withheld. */
const deepest = 100

export const makeScrubber = (secrets: Iterable<string>): Scrubber => {
  const values = Array.from(new Set(secrets)).filter((secret) => secret !== "")
  const short = anyFormOf(values.filter((secret) => secret.length < cutLength))
  const long = anyFormOf(values.filter((secret) => secret.length >= cutLength))

  const text = (text: string) => {
    if (short !== undefined && text.search(short) !== -1) return scrubbed
    return long === undefined ? text : text.replace(long, scrubbed)
  }

  const value = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return text(String(value)) === String(value) ? value : scrubbed
    if (typeof value !== "object" || value === null) return value
    if (depth === deepest) return scrubbed
    if (Array.isArray(value)) return value.map((inner) => scrub(inner, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), scrub(inner, depth + 1)]))
  }
  const scrub = value

  return { text, value: (whole) => value(whole) }
}

const anyFormOf = (secrets: ReadonlyArray<string>): RegExp | undefined => {
  if (secrets.length === 0) return undefined
  // Longest first, so that replacing a secret that is part of another does not leave the rest.
  const forms = secrets
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => encodedForms(secret).map(literally).concat(Array.from(secret, anyFormOfCharacter).join("")))
  return new RegExp(forms.join("|"), "giu")
}

/** The secret unchanged and as escaped in JSON, URLs, forms and HTML, also twice: services combine them. */
const anyFormOfCharacter = (character: string): string => {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i).toString(16))
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => hexOf([byte]))
  const point = character.codePointAt(0) ?? 0
  const escaped = shortEscapes.get(character)
  const entity = entities.get(character)
  return `(?:${[
    character === "\\" ? "\\\\{1,4}" : `\\\\{0,3}${literally(character)}`,
    units.map((unit) => `\\\\{1,3}u${unit.padStart(4, "0")}`).join(""),
    bytes.map((byte) => `%(?:25)?${byte}`).join(""),
    `&(?:amp;)?#0*${point};`,
    `&(?:amp;)?#x0*${point.toString(16)};`,
    ...(escaped === undefined ? [] : [`\\\\{1,3}${escaped}`]),
    ...(entity === undefined ? [] : [`&(?:amp;)?${entity};`]),
    ...(character === " " ? ["\\+"] : [])
  ].join("|")})`
}

const shortEscapes = new Map([
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"]
])

const entities = new Map([
  ["&", "amp"],
  ["<", "lt"],
  [">", "gt"],
  ['"', "quot"],
  ["'", "apos"]
])

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

/** In base64, and in hexadecimal digits if the secret is long enough to rule out a match by chance. */
const encodedForms = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  return base64FormsOf(bytes).concat(bytes.length < cutLength ? [] : hexOf(bytes))
}

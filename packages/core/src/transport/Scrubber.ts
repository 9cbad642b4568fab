/** Removes the secrets of a request from its response: a service may echo a password in an error, whole or in part. */
import { makeSecretMatcher } from "../redaction/SecretMatcher.ts"

/** Replaces a secret. */
export const scrubbed = "<redacted>"

export interface Scrubber {
  text(text: string): string
  /** Scrubs every string, number and key of a value, at any depth. */
  value(value: unknown): unknown
}

/** Cutting out a shorter secret would reveal it by the gap, so a text that contains one is withheld completely. */
const minCutLength = 4

/** The depth up to which a value is searched; deeper values are withheld. */
const maxDepth = 100

export const makeScrubber = (secrets: Iterable<string>): Scrubber => {
  const values = Array.from(secrets).filter((secret) => secret !== "")
  const short = makeSecretMatcher(values.filter((secret) => secret.length < minCutLength))
  const long = makeSecretMatcher(values.filter((secret) => secret.length >= minCutLength))

  const text = (text: string) => (short.find(text).length > 0 ? scrubbed : long.redact(text, scrubbed))

  const scrub = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return text(String(value)) === String(value) ? value : scrubbed
    if (typeof value !== "object" || value === null) return value
    if (depth === maxDepth) return scrubbed
    if (Array.isArray(value)) return value.map((inner) => scrub(inner, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), scrub(inner, depth + 1)]))
  }

  return { text, value: (value) => scrub(value, 0) }
}

/**
 * Removes the secrets of a request from its response, because a service may echo a password, in whole or in part, in an
 * error.
 */
import { makeSecretMatcher } from "../redaction/SecretMatcher.ts"

/** The replacement for a secret. */
export const scrubbed = "<redacted>"

export interface Scrubber {
  text(text: string): string
  /** Scrubs every string, number and key of a value, at any depth. */
  value(value: unknown): unknown
}

/**
 * Minimum length of a secret that is cut out. A gap would reveal a shorter one, so a text that contains it is withheld
 * completely.
 */
const minCutLength = 4

/** Maximum depth that is searched; deeper values are withheld. */
const maxDepth = 100

/** Reads the secrets at the first use. */
export const makeScrubber = (secrets: Iterable<string>): Scrubber => {
  const makeMatchers = () => {
    const values = Array.from(secrets).filter((secret) => secret !== "")
    return {
      short: makeSecretMatcher(values.filter((secret) => secret.length < minCutLength)),
      long: makeSecretMatcher(values.filter((secret) => secret.length >= minCutLength))
    }
  }
  let matchers: ReturnType<typeof makeMatchers> | undefined

  const text = (text: string) => {
    const { long, short } = (matchers ??= makeMatchers())
    return short.find(text).length > 0 ? scrubbed : long.redact(text, scrubbed)
  }

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

export const scrubText = (text: string | undefined, scrubber: Scrubber): string | undefined =>
  text === undefined ? undefined : scrubber.text(text)

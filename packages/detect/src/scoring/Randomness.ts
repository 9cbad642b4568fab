/**
 * Measures how unlike source code a value is.
 *
 * The measure is the cross-entropy under a bigram model of code: the mean surprise, in bits, of each character after
 * the previous one. Words, and identifiers made of English words in any language, stay below 5.5; random letters and
 * digits of both cases lie between 6 and 11. The idea is that of Shannon's experiments on printed English (1951),
 * applied to code; the counts are in CodeBigrams.ts.
 */
import { classes, classOf } from "./CharacterClass.ts"
import { codeBigrams } from "./CodeBigrams.ts"

/** Mean bits per character; 0 if the value is shorter than two characters. */
export const surprise = (value: string): number => {
  if (value.length < 2) return 0
  let fifths = 0
  let before = classOf(value.charCodeAt(0))
  for (let i = 1; i < value.length; i++) {
    const now = classOf(value.charCodeAt(i))
    fifths += codeBigrams.charCodeAt(before * classes + now) - 48
    before = now
  }
  return fifths / 5 / (value.length - 1)
}

/** Shannon entropy of the value's own characters, in bits per character. */
export const entropy = (value: string): number => {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/**
 * Between 0 (a word, a path, an identifier, a counter) and 1 (random).
 *
 * Digits follow digits often in code, so hexadecimal is judged by the entropy of its own characters instead.
 */
export const randomness = (value: string): number => {
  if (value.length < 6) return 0
  if (hexadecimal.test(value)) return value.length < 12 ? 0.3 : between(entropy(value), 2.4, 3.3)
  if (decimal.test(value)) return digits.test(value) ? between(entropy(value), 2, 2.5) : 0
  if (isWords(value)) return oneRun.test(value) ? between(surprise(value), 5.6, 6.6) : 0
  const inside = longHexadecimal.exec(value)
  if (inside !== null) return between(entropy(inside[0]), 2.4, 3.3)
  const spread = between(entropy(value), 2, 3)
  // With few characters, the mean varies more, so a short value needs more surprise.
  const usual = 5 + 8 / value.length
  return (
    spread *
    Math.max(between(surprise(value), usual, usual + 1.5), value.length < 12 ? 0 : between(switches(value), 2, 5))
  )
}

/** How often a digit is next to a letter: once or twice in a name with a number. */
const switches = (value: string): number => value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0

const longHexadecimal = /[\da-f]{24,}|[\dA-F]{24,}/

/** Whether the value has only letters, in long runs of one case, or is words with numbers between them. */
const isWords = (value: string): boolean => {
  const stretches = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)
  return (
    (stretches !== null && /^[A-Za-z _.:/-]+$/.test(value) && value.length / stretches.length >= 4.2) ||
    isCamelCase(value) ||
    isSlug(value)
  )
}

/** Whether the value is words and numbers, with at least three words: `provider-gemma-terms-2024-04-01`. */
const isSlug = (value: string): boolean =>
  slug.test(value) && (value.match(/[A-Z]?[a-z]{2,}|[A-Z]{2,}/g)?.length ?? 0) >= 3 && surprise(value) < 7.2

const slug =
  /^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d{1,4})(?:[-_.:/](?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d{1,4})){2,}$/

/**
 * Whether the value is camel case with words of at least three characters on average: `invTodayPpv`, `zohoOAuth2Api`.
 * One in 10,000 random values of 16 letters and digits has that form and so little surprise.
 */
const isCamelCase = (value: string): boolean =>
  camelCase.test(value) && value.length >= 3 * value.split(/(?<![A-Z])(?=[A-Z])/).length && surprise(value) < 7.2

const camelCase = /^[a-z]+\d?(?:[A-Z]{1,2}[a-z]+\d?)+$/

/**
 * Letters of one case without a separator, such as an app password of a mail provider. Of words in source code of that
 * length, 99 in 100 have a surprise below 5.6 bits; of random letters, 95 in 100 have more than 6.1.
 */
const oneRun = /^(?:[a-z]{12,}|[A-Z]{12,})$/

const hexadecimal = /^(?=.*\d)(?=.*[a-f])[\da-f-]+$|^(?=.*\d)(?=.*[A-F])[\dA-F-]+$/
const decimal = /^[\d.,:\- ]+$/
/** More digits than in a time, a telephone number or a database id. */
const digits = /^\d{16,}$/

const between = (x: number, low: number, high: number) => Math.min(1, Math.max(0, (x - low) / (high - low)))

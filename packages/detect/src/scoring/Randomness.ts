/**
 * How unlike source code a value is.
 *
 * The measure is the cross-entropy of the value under a bigram model of code: the mean number of bits by which each
 * character surprises after the one before it. Words and identifiers of any language made of English words stay below 5.5,
 * values drawn at random from letters and digits of both cases lie between 6 and 11. The idea is that of Shannon's
 * experiments on printed English (1951), with code in the place of English; the counts are in CodeBigrams.ts.
 */
import { classes, classOf } from "./CharacterClass.ts"
import { codeBigrams } from "./CodeBigrams.ts"

/** Mean bits a character, 0 for a value of one character or none. */
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

/** Shannon entropy of the value's own characters, in bits a character. */
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
  // The mean of few characters varies more, so a short value has to surprise more.
  const usual = 5 + 8 / value.length
  return (
    spread *
    Math.max(between(surprise(value), usual, usual + 1.5), value.length < 12 ? 0 : between(switches(value), 2, 5))
  )
}

/** How often a digit is next to a letter: once or twice in names that contain a number. */
const switches = (value: string): number => value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0

const longHexadecimal = /[\da-f]{24,}|[\dA-F]{24,}/

/** Letters only, in long runs of one case: words, joined in any way; or words with numbers between them. */
const isWords = (value: string): boolean => {
  const stretches = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)
  return (
    (stretches !== null && /^[A-Za-z _.:/-]+$/.test(value) && value.length / stretches.length >= 4.2) ||
    isCamelCase(value) ||
    isSlug(value)
  )
}

/** `provider-gemma-terms-2024-04-01`: words and numbers, at least three words. */
const isSlug = (value: string): boolean =>
  slug.test(value) && (value.match(/[A-Z]?[a-z]{2,}|[A-Z]{2,}/g)?.length ?? 0) >= 3 && surprise(value) < 7.2

const slug =
  /^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d{1,4})(?:[-_.:/](?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d{1,4})){2,}$/

/**
 * `invTodayPpv`, `zohoOAuth2Api`: words of three characters and more, which need not be as long as others. One in
 * 10,000 values of 16 letters and digits drawn at random has that form and surprises so little.
 */
const isCamelCase = (value: string): boolean =>
  camelCase.test(value) && value.length >= 3 * value.split(/(?<![A-Z])(?=[A-Z])/).length && surprise(value) < 7.2

const camelCase = /^[a-z]+\d?(?:[A-Z]{1,2}[a-z]+\d?)+$/

/**
 * Letters of one case without a break, such as the password that a mail provider draws for a program: of words in source
 * code that are as long, 99 in 100 surprise by less than 5.6 bits; of letters drawn at random, 95 in 100 by more than 6.1.
 */
const oneRun = /^(?:[a-z]{12,}|[A-Z]{12,})$/

const hexadecimal = /^(?=.*\d)(?=.*[a-f])[\da-f-]+$|^(?=.*\d)(?=.*[A-F])[\dA-F-]+$/
const decimal = /^[\d.,:\- ]+$/
/** More than a time, a telephone number or an id of a table has. */
const digits = /^\d{16,}$/

const between = (x: number, low: number, high: number) => Math.min(1, Math.max(0, (x - low) / (high - low)))

/**
 * Finds secrets in free text, with the rules for files and those for prose, and without a threshold.
 *
 * A value that is certainly a secret is hidden: it is not indexed as a word, masked in highlights, and found by its
 * exact value only. Any other run of characters that could be a password is indexed as a word, and also found by its
 * exact value.
 */
import { looksRandom, partsOf, runsIn, withoutPunctuation } from "./rules/prose/RandomRuns.ts"
import { findingsInProse } from "./Text.ts"
import { type Span, Spans } from "./text/Spans.ts"

export interface SecretInText extends Span {
  readonly value: string
  readonly hidden: boolean
  /** The account beside the secret in the text, if any. */
  readonly account?: string
}

/** Hidden values and possible passwords, in no particular order. One span may have several values. */
export const secretsIn = (text: string): ReadonlyArray<SecretInText> => {
  const found: Array<SecretInText> = []
  for (const { account, end, start, value: decoded } of findingsInProse(text)) {
    const value = text.slice(start, end)
    const whole = { value, start, end, hidden: true }
    found.push(account === undefined ? whole : { ...whole, account })
    // A trailing punctuation mark may not belong to the password, and a value may be encoded: index each form.
    for (const other of new Set([withoutPunctuation(value), decoded])) {
      if (other !== "" && other !== value) found.push({ value: other, start, end, hidden: false })
    }
  }
  for (const { start, text: run } of runsIn(text)) {
    if (!run.includes("://")) found.push(...possiblePasswords(run, start))
  }
  return found
}

/** Spans of the hidden values, in text order; overlapping spans are merged. */
export const hiddenIn = (
  text: string,
  secrets: ReadonlyArray<SecretInText> = secretsIn(text)
): ReadonlyArray<HiddenSpan> =>
  Spans.of(secrets.filter(({ hidden }) => hidden)).all.map((span) => hiddenSpan(text, span))

/** The text with `mask` in place of each hidden value. */
export const withoutSecrets = (text: string, mask: string): string => {
  let shown = ""
  let from = 0
  for (const { end, start } of Spans.of(findingsInProse(text)).all) {
    shown += text.slice(from, start) + mask
    from = end
  }
  return shown + text.slice(from)
}

export const hiddenSpan = (text: string, { end, start }: Span): HiddenSpan => {
  const value = text.slice(start, end)
  return { start, end, value, random: looksRandom(value) }
}

export interface HiddenSpan extends Span {
  readonly value: string
  /** Queries recognize such values too: both sides then use a keyed digest instead of the word. */
  readonly random: boolean
}

const possiblePasswords = (run: string, start: number): ReadonlyArray<SecretInText> =>
  partsOf(run).flatMap((part) =>
    [...new Set([part.text, withoutPunctuation(part.text)])]
      .filter((value) => couldBePassword(value) && !looksRandom(value))
      .map((value) => ({
        value,
        start: start + part.start,
        end: start + part.start + value.length,
        hidden: false
      }))
  )

const couldBePassword = (run: string): boolean =>
  run.length >= 6 && run.length <= 512 && /\p{L}/u.test(run) && /[\p{N}!#$%&*+^~]/u.test(run)

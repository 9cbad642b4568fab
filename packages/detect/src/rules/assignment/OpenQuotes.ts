/** Tells whether a string literal is open at an offset, by counting quotes on its line. */
import type { Source } from "../../text/Source.ts"

/** `nameStart` is the start of a name on the line, at or before `at`. Must be called with ascending names. */
export const isOpenAt = (source: Source, nameStart: number, at: number, quote: string): boolean =>
  readQuotes(source.text, quote, quotesAt(source, nameStart, quote), at).isOpen

interface QuoteState {
  readonly at: number
  readonly isOpen: boolean
}

/** The state at the last name: one line of minified JSON may have thousands of names, and is read only once. */
const quotesSeen = new WeakMap<Source, Map<string, QuoteState>>()

const quotesAt = (source: Source, nameStart: number, quote: string): QuoteState => {
  // A quote directly before a name opens a string, even if the text begins within a string because it is a piece of a
  // line.
  // Before the dot of a member, as in `networks."office".psk`, it closes one.
  if (source.text.charAt(nameStart - 1) === quote && source.text.charAt(nameStart) !== ".")
    return { at: nameStart, isOpen: true }
  const seen = quotesSeen.get(source) ?? new Map<string, QuoteState>()
  quotesSeen.set(source, seen)
  const lineStart = source.lineStart(nameStart)
  const last = seen.get(quote)
  const from =
    last !== undefined && last.at >= lineStart && last.at <= nameStart ? last : { at: lineStart, isOpen: false }
  const state = readQuotes(source.text, quote, from, nameStart)
  seen.set(quote, state)
  return state
}

const readQuotes = (text: string, quote: string, from: QuoteState, to: number): QuoteState => {
  let { at, isOpen } = from
  for (; at < to; at++) {
    const character = text.charAt(at)
    if (character === "\\") at++
    else if (character === quote) isOpen = !isOpen
  }
  return { at, isOpen }
}

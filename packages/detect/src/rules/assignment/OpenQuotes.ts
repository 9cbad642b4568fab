/** Whether a string of a line is open at an offset, by the quotes before it. */
import type { Source } from "../../text/Source.ts"

/** `nameStart` is where a name begins on the line, at or before `at`; names are asked about in the order of the text. */
export const isOpenAt = (source: Source, nameStart: number, at: number, quote: string): boolean =>
  readQuotes(source.text, quote, quotesAt(source, nameStart, quote), at).isOpen

interface QuoteState {
  readonly at: number
  readonly isOpen: boolean
}

/** At the name seen last: a line of minified JSON has thousands of them, and is read once. */
const quotesSeen = new WeakMap<Source, Map<string, QuoteState>>()

const quotesAt = (source: Source, nameStart: number, quote: string): QuoteState => {
  // The quote right before a name opens its string, also where the text is a piece of a line and begins in a string.
  // Before the dot of a member, `networks."office".psk`, it closes one.
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

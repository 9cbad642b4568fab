/**
 * By path, a few short passages with the matched text in `<mark>`. The text is untrusted and not HTML: split it at the
 * marks and escape the rest. A `<mark>` in the text is written `‹mark>`. Hidden values are masked even if they are the
 * match.
 */
import { type Expression, matchSpans } from "./Expression.ts"
import type { FieldText, SearchDocument, TextSpan } from "./SearchDocument.ts"
import { type Span, Spans } from "@threat-exposure/detect/text/Spans"

/** The highlights by path. Empty if the document matched by a term of the whole document, such as its type. */
export const highlightsOf = (
  expression: Expression,
  document: SearchDocument
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const matchesOf = new Map<number, Array<TextSpan>>()
  for (const span of matchSpans(expression, document)) {
    const matches = matchesOf.get(span.text)
    if (matches === undefined) matchesOf.set(span.text, [span])
    else matches.push(span)
  }
  const highlights = new Map<string, ReadonlyArray<string>>()
  for (const [index, matches] of [...matchesOf].toSorted(([a], [b]) => a - b)) {
    const text = document.texts[index]
    if (text === undefined) continue
    const passages = highlights.get(text.path) ?? []
    const left = maxPassages - passages.length
    if (left > 0) highlights.set(text.path, [...passages, ...passagesOf(text, matches, left)])
  }
  return Object.fromEntries(highlights)
}

/** The first title that is not blank, with hidden values masked. */
export const titleOf = ({ texts }: SearchDocument): string | undefined => {
  const title = texts.find(({ field, text }) => field === "title" && text.trim() !== "")
  return title === undefined ? undefined : renderExcerpt(title.text, Spans.of(title.hidden), 0, title.text.length)
}

export const mask = "••••••••"

const maxPassages = 3
/** UTF-16 code units of text before and after a match. */
const around = 80

const passagesOf = (
  { hidden, text }: FieldText,
  matches: ReadonlyArray<TextSpan>,
  most: number
): ReadonlyArray<string> => {
  const masked = Spans.of([...hidden, ...matches.filter(({ secret }) => secret)])
  const passages: Array<{ start: number; end: number; matches: Array<Span> }> = []
  for (const match of Spans.of(matches).all) {
    const start = findBeginning(text, match.start - around)
    const end = findEnd(text, match.end + around)
    const last = passages.at(-1)
    if (last !== undefined && start <= last.end) {
      last.end = end
      last.matches.push(match)
    } else if (passages.length < most) passages.push({ start, end, matches: [match] })
    else break
  }
  const renderUnmarked = (from: number, to: number) =>
    renderExcerpt(text, masked, from, to).replaceAll(markOfTheText, "‹")
  return passages.map(({ end, matches, start }) => {
    let passage = start > 0 ? "…" : ""
    let at = start
    for (const match of matches) {
      passage += `${renderUnmarked(at, match.start)}<mark>${renderUnmarked(match.start, match.end)}</mark>`
      at = match.end
    }
    return `${passage}${renderUnmarked(at, end)}${end < text.length ? "…" : ""}`
  })
}

/** Marks in the text itself; older records use `em`. */
const markOfTheText = /<(?=\/?(?:mark|em)>)/gi

/** The text from `start` to `end`, with hidden values masked. */
const renderExcerpt = (text: string, masked: Spans, start: number, end: number): string => {
  let passage = ""
  let at = start
  for (const range of masked.within(start, end)) {
    passage += text.slice(at, Math.max(at, range.start)) + mask
    at = Math.min(end, range.end)
  }
  return passage + text.slice(at, Math.max(at, end))
}

/** The beginning of a passage: after a space if one is near, and never inside a surrogate pair. */
const findBeginning = (text: string, at: number): number => {
  if (at <= 0) return 0
  const space = text.slice(at, at + around / 2).search(/\s/)
  return space === -1 ? at + (isLow(text, at) ? 1 : 0) : at + space + 1
}

const findEnd = (text: string, at: number): number => {
  if (at >= text.length) return text.length
  const space = text.slice(at - around / 2, at).search(/\s\S*$/)
  return space === -1 ? at - (isLow(text, at) ? 1 : 0) : at - around / 2 + space
}

const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

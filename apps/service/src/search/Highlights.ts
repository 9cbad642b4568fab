/**
 * The passages in which an event matched, as `highlights` of a search item gives them: by field, a few short ones, the
 * matched text in `<mark>`.
 *
 * The text is raw, as it was collected: hostile, and not HTML. Whoever shows it splits it at the marks and escapes the
 * rest; what looks like a mark in the text itself is told apart by its `‹`. Hidden values are masked even where they are
 * the match itself.
 */
import { type Expression, placesOf } from "./Expression.ts"
import type { EventText, IndexedEvent, Place } from "./IndexedEvent.ts"
import { type Range, Ranges } from "./SecretsInText.ts"

/** By field of `data`, nested names joined by dots. Empty where the event matched by what it is, not by what it says. */
export const highlightsOf = (
  expression: Expression,
  event: IndexedEvent
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const matchesOf = new Map<number, Array<Place>>()
  for (const place of placesOf(expression, event)) {
    const matches = matchesOf.get(place.text)
    if (matches === undefined) matchesOf.set(place.text, [place])
    else matches.push(place)
  }
  const highlights = new Map<string, ReadonlyArray<string>>()
  for (const [index, matches] of [...matchesOf].toSorted(([a], [b]) => a - b)) {
    const text = event.texts[index]
    if (text === undefined) continue
    const passages = highlights.get(text.field) ?? []
    const left = mostPassages - passages.length
    if (left > 0) highlights.set(text.field, [...passages, ...passagesOf(text, matches, left)])
  }
  return Object.fromEntries(highlights)
}

/** The event's first title of any kind, without what is hidden in it. */
export const titleOf = ({ texts }: IndexedEvent): string | undefined => {
  const title = texts.find(({ column, text }) => column === "title" && text.trim() !== "")
  return title === undefined ? undefined : shown(title.text, Ranges.of(title.hidden), 0, title.text.length)
}

/** What stands in place of a hidden value, whatever its length. */
export const mask = "••••••••"

/** Per field. */
const mostPassages = 3
/** UTF-16 units of text around a match, to each side. */
const around = 80

const passagesOf = (
  { hidden, text }: EventText,
  matches: ReadonlyArray<Place>,
  most: number
): ReadonlyArray<string> => {
  const masked = Ranges.of([...hidden, ...matches.filter(({ secret }) => secret)])
  const passages: Array<{ start: number; end: number; matches: Array<Range> }> = []
  for (const match of Ranges.of(matches).all) {
    const start = beginning(text, match.start - around)
    const end = ending(text, match.end + around)
    const last = passages.at(-1)
    if (last !== undefined && start <= last.end) {
      last.end = end
      last.matches.push(match)
    } else if (passages.length < most) passages.push({ start, end, matches: [match] })
    else break
  }
  const unmarked = (from: number, to: number) => shown(text, masked, from, to).replaceAll(markOfTheText, "‹")
  return passages.map(({ end, matches, start }) => {
    let passage = start > 0 ? "…" : ""
    let at = start
    for (const match of matches) {
      passage += `${unmarked(at, match.start)}<mark>${unmarked(match.start, match.end)}</mark>`
      at = match.end
    }
    return `${passage}${unmarked(at, end)}${end < text.length ? "…" : ""}`
  })
}

/** Older records mark with `em`. */
const markOfTheText = /<(?=\/?(?:mark|em)>)/gi

/** The text from `start` to `end`, with a mask for whatever of a hidden value is in it. */
const shown = (text: string, masked: Ranges, start: number, end: number): string => {
  let passage = ""
  let at = start
  for (const range of masked.within(start, end)) {
    passage += text.slice(at, Math.max(at, range.start)) + mask
    at = Math.min(end, range.end)
  }
  return passage + text.slice(at, Math.max(at, end))
}

/** Where a passage may begin: after a space where one is near, and never inside a character. */
const beginning = (text: string, at: number): number => {
  if (at <= 0) return 0
  const space = text.slice(at, at + around / 2).search(/\s/)
  return space === -1 ? at + (isLow(text, at) ? 1 : 0) : at + space + 1
}

const ending = (text: string, at: number): number => {
  if (at >= text.length) return text.length
  const space = text.slice(at - around / 2, at).search(/\s\S*$/)
  return space === -1 ? at - (isLow(text, at) ? 1 : 0) : at - around / 2 + space
}

const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

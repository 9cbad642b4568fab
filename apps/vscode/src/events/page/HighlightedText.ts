/** Parses text in which the service marked matches with `<mark>` or `<em>` tags, so that it is never used as HTML. */

import { onOneLine } from "../../words/HiddenCharacters.ts"

export interface HighlightedText {
  readonly text: string
  /** Ranges of `text`, each with its start and end. */
  readonly ranges: ReadonlyArray<readonly [number, number]>
}

export const plain = (text: string): HighlightedText => ({ text, ranges: [] })

export const parseHighlights = (passage: string): HighlightedText => {
  let text = ""
  let from = 0
  let start: number | undefined
  const ranges: Array<readonly [number, number]> = []
  for (const tag of passage.matchAll(/<(\/?)(?:mark|em)>/gu)) {
    text += passage.slice(from, tag.index)
    from = tag.index + tag[0].length
    if (tag[1] === "") start ??= text.length
    else if (start !== undefined) {
      if (text.length > start) ranges.push([start, text.length])
      start = undefined
    }
  }
  text += passage.slice(from)
  if (start !== undefined && text.length > start) ranges.push([start, text.length])
  return { text, ranges }
}

/** Shortens the text to one line of at most `length` UTF-16 units, in which the first match stays visible. */
export const truncate = ({ text, ranges }: HighlightedText, length: number): HighlightedText => {
  const line = onOneLine(text)
  const whole = (at: number) => (/[\uDC00-\uDFFF]/.test(line.charAt(at)) ? at - 1 : at)
  const first = ranges[0]?.[0] ?? 0
  const start = line.length <= length || first < length - 20 ? 0 : whole(Math.max(0, first - 20))
  const end = whole(start + length)
  const cut = line.slice(start, end)
  const before = start > 0 ? "…" : ""
  const after = end < line.length ? "…" : ""
  const shift = before.length - start
  return {
    text: `${before}${cut}${after}`,
    ranges: ranges.flatMap(([from, to]): ReadonlyArray<readonly [number, number]> => {
      const low = Math.max(from, start)
      const high = Math.min(to, end)
      return low < high ? [[low + shift, high + shift]] : []
    })
  }
}

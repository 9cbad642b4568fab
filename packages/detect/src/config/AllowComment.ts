/** Parses allow comments: our own, and those of other scanners. */

import type { Source } from "../text/Source.ts"

/** The offset of the comment that allows the range [start, end) of a text; undefined if none does. */
export type AllowedAt = (start: number, end: number) => number | undefined

const onLine =
  /threat-exposure:\s*allow\b|gitleaks:allow|betterleaks:allow|trufflehog:ignore|secretlint-disable-line|pragma:\s*(?:allow|white)list[ -]secret|kingfisher:ignore|ggignore|detect-secrets:\s*ignore/i
const onNextLine =
  /threat-exposure:\s*allow-next-line\b|secretlint-disable-next-line|pragma:\s*(?:allow|white)list[ -]nextline[ -]secret/i
const anywhere = /allow|ignore|disable|pragma/i

/** The returned function must be called with ascending offsets. */
export const allowedIn = (source: Source): AllowedAt => {
  const { text } = source
  if (!anywhere.test(text)) return () => undefined
  const disabled = disabledRanges(text)
  let range = 0
  // Caches the last line: one line can be very long and contain many candidates.
  let last: { from: number; to: number; at: number | undefined } = { from: -1, to: -1, at: undefined }
  return (start, end) => {
    while (start >= (disabled[range]?.[1] ?? text.length)) range++
    const disabledFrom = disabled[range]?.[0] ?? text.length
    if (start >= disabledFrom) return disabledFrom
    const to = source.lineEnd(end)
    const from = source.lineStart(start)
    if (from !== last.from || to !== last.to) {
      const before = text.lastIndexOf("\n", from - 2) + 1
      const here = onLine.exec(text.slice(from, to))
      const above = onNextLine.exec(text.slice(before, Math.max(0, from - 1)))
      last = { from, to, at: here !== null ? from + here.index : above !== null ? before + above.index : undefined }
    }
    return last.at
  }
}

/** Ranges from `secretlint-disable` to `secretlint-enable`, or to the end of the text. */
const disabledRanges = (text: string): ReadonlyArray<readonly [number, number]> => {
  if (!text.includes("secretlint-disable")) return []
  const ranges: Array<readonly [number, number]> = []
  let from = -1
  for (const match of text.matchAll(/secretlint-(disable|enable)(?![\w-])/g)) {
    if (match[1] === "disable") from = from < 0 ? match.index : from
    else if (from >= 0) {
      ranges.push([from, match.index])
      from = -1
    }
  }
  if (from >= 0) ranges.push([from, text.length])
  return ranges
}

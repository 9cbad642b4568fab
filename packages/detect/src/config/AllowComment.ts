/** Comments by which a person says that a value may stay: our own, and those of the tools that others have used before. */

import type { Source } from "../text/Source.ts"

/** Tells of the range [start, end) of a text whether a comment allows what stands there. */
export type Allowed = (start: number, end: number) => boolean

const onLine =
  /threat-exposure:\s*allow\b|gitleaks:allow|betterleaks:allow|trufflehog:ignore|secretlint-disable-line|pragma:\s*(?:allow|white)list[ -]secret|kingfisher:ignore|ggignore|detect-secrets:\s*ignore/i
const onNextLine =
  /threat-exposure:\s*allow-next-line\b|secretlint-disable-next-line|pragma:\s*(?:allow|white)list[ -]nextline[ -]secret/i
const anywhere = /allow|ignore|disable|pragma/i

/** To be asked in the order of the text. */
export const allowedIn = (source: Source): Allowed => {
  const { text } = source
  if (!anywhere.test(text)) return () => false
  const disabled = disabledRanges(text)
  let range = 0
  // Many candidates may stand in one line, which may be very long.
  let last = { from: -1, to: -1, allowed: false }
  return (start, end) => {
    while (start >= (disabled[range]?.[1] ?? text.length)) range++
    if (start >= (disabled[range]?.[0] ?? text.length)) return true
    const to = source.lineEnd(end)
    const from = source.lineStart(start)
    if (from !== last.from || to !== last.to) {
      const before = text.slice(text.lastIndexOf("\n", from - 2) + 1, Math.max(0, from - 1))
      last = { from, to, allowed: onLine.test(text.slice(from, to)) || onNextLine.test(before) }
    }
    return last.allowed
  }
}

/** From `secretlint-disable` to `secretlint-enable` or the end. */
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

/** Comments by which a person says that a value may stay: our own, and those of the tools that others have used before. */

/** Tells of the range [start, end) of a text whether a comment allows what stands there. */
export type Allowed = (start: number, end: number) => boolean

const onLine =
  /threat-exposure:\s*allow\b|gitleaks:allow|betterleaks:allow|trufflehog:ignore|secretlint-disable-line|pragma:\s*(?:allow|white)list[ -]secret|kingfisher:ignore|ggignore|detect-secrets:\s*ignore/i
const onNextLine =
  /threat-exposure:\s*allow-next-line\b|secretlint-disable-next-line|pragma:\s*(?:allow|white)list[ -]nextline[ -]secret/i
const anywhere = /allow|ignore|disable|pragma/i

export const allowedIn = (text: string): Allowed => {
  if (!anywhere.test(text)) return () => false
  const disabled = disabledRanges(text)
  return (start, end) => {
    if (disabled.some(([from, to]) => start >= from && start < to)) return true
    const lineStart = text.lastIndexOf("\n", start - 1) + 1
    const lineEnd = text.indexOf("\n", end)
    const lines = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd)
    if (onLine.test(lines)) return true
    const before = text.slice(text.lastIndexOf("\n", lineStart - 2) + 1, Math.max(0, lineStart - 1))
    return onNextLine.test(before)
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

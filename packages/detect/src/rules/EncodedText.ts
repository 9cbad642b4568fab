/** Finds secrets in base64-encoded text, such as container settings, cloud-init data or a Docker login. */
import { minConfidence } from "../Candidate.ts"
import type { Source } from "../text/Source.ts"
import type { Report, Rule } from "./Rule.ts"
import { decodeBase64 } from "../text/Base64.ts"

/** Nearly every text with a secret contains one of these; each is searched in base64, at all three alignments. */
const words = [
  `password`,
  `PASSWORD`,
  `Password`,
  `_secret`,
  `_SECRET`,
  `"auth":`,
  `api_key`,
  `API_KEY`,
  `_token`,
  `_TOKEN`
]

/** The base64 characters of a word that do not depend on the surrounding text, for each of three alignments. */
const encodeWord = (word: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const encoded = btoa(" ".repeat(before) + word)
    return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + word.length) * 4) / 3))
  })

const runCharacter = /[\w+/-]/
/** Maximum number of characters before and after the word. */
const maxRunLength = 64_000

export const encodedTexts: Rule = {
  id: "encoded-text",
  keywords: words.flatMap(encodeWord),
  find: (source, at, end, report) => {
    const { text } = source
    let start = at
    while (start > 0 && at - start < maxRunLength && runCharacter.test(text.charAt(start - 1))) start--
    let to = end
    while (to < text.length && to - end < maxRunLength && runCharacter.test(text.charAt(to))) to++
    // A source map in a data URL only repeats the source code.
    if (to - start < minRunLength || /json[^,\n]{0,40};base64,$/.test(text.slice(Math.max(0, start - 80), start)))
      return to
    const decoded = decodeBase64(text.slice(start, to))
    if (decoded !== undefined) reportWithin(source, decoded, "", start, to, report)
    return to
  }
}

const minRunLength = 24

/** Scans decoded base64. False if it is binary or has no candidates, so that the caller may report it as one value. */
export const reportWithin = (
  source: Source,
  decoded: string,
  path: string,
  start: number,
  end: number,
  report: Report
): boolean => {
  if (controls.test(decoded)) return false
  const found = source.within(decoded, path).filter(({ confidence }) => confidence >= minConfidence)
  // Positions are approximate: proportional to the offset in the decoded text.
  const positionOf = (offset: number) => Math.min(end, start + Math.floor((offset * (end - start)) / decoded.length))
  for (const finding of found) {
    const from = positionOf(finding.start)
    const to = Math.max(from + 1, positionOf(finding.end))
    report({ ...finding, rule: encodedTexts.id, start: from, end: to })
  }
  return found.length > 0
}

// oxlint-disable-next-line no-control-regex -- binary data is recognized by its control characters
const controls = /[\0-\x08\x0e-\x1f\x7f\ufffd]/

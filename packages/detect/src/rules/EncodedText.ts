/** Texts kept in base64 within another text: settings of a container, the data of a new machine, a login of Docker. */
import { minConfidence } from "../Candidate.ts"
import type { Source } from "../text/Source.ts"
import type { Report, Rule } from "./Rule.ts"
import { decodeBase64 } from "../text/Base64.ts"

/** Substrings that nearly every text with a secret contains; each is searched in base64, at all three offsets. */
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

/** The characters of base64 that do not depend on the text around the word, at each of three offsets. */
const written = (word: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const encoded = btoa(" ".repeat(before) + word)
    return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + word.length) * 4) / 3))
  })

const runCharacter = /[\w+/-]/
/** Characters before and after the word that are looked at. */
const longest = 64_000

export const encodedTexts: Rule = {
  id: "encoded-text",
  keywords: words.flatMap(written),
  find: (source, at, end, report) => {
    const { text } = source
    let start = at
    while (start > 0 && at - start < longest && runCharacter.test(text.charAt(start - 1))) start--
    let to = end
    while (to < text.length && to - end < longest && runCharacter.test(text.charAt(to))) to++
    // A map of minified source holds that source, and nothing else.
    if (to - start < shortest || /json[^,\n]{0,40};base64,$/.test(text.slice(Math.max(0, start - 80), start))) return to
    const decoded = decodeBase64(text.slice(start, to))
    if (decoded !== undefined) reportWithin(source, decoded, "", start, to, report)
    return to
  }
}

const shortest = 24

/** Whether the base64 between two offsets contains text to scan, and is not a value itself. */
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
  // Each gets a position in proportion to its offset, because the exact positions are not computed.
  const place = (offset: number) => Math.min(end, start + Math.floor((offset * (end - start)) / decoded.length))
  for (const finding of found) {
    const from = place(finding.start)
    const to = Math.max(from + 1, place(finding.end))
    report({ ...finding, rule: encodedTexts.id, start: from, end: to })
  }
  return found.length > 0
}

// oxlint-disable-next-line no-control-regex -- what a text has none of
const controls = /[\0-\x08\x0e-\x1f\x7f\ufffd]/

/** Finds tokens in the formats of providers. */
import { isCountedInPart, isPlaceholder, isPublic } from "../../scoring/Placeholder.ts"
import { randomness } from "../../scoring/Randomness.ts"
import type { Source } from "../../text/Source.ts"
import type { Rule } from "../Rule.ts"
import { assignedIdConfidence, type ProviderFormat, providerFormats } from "./ProviderFormats.ts"

/** Examples have their provider's format too: values that do not look random count less, and so do those in tests. */
const tokenConfidence = (source: Source, value: string, confidence: number): number => {
  const parts = [value, ...value.split(/[-_.:]/), value.slice(Math.max(0, value.search(/\d/)))].filter(
    (part) => part.length >= 6
  )
  if (
    isPublic(value) ||
    isPlaceholder(value) ||
    isCountedInPart(value) ||
    parts.some((part) => part.length > value.length / 2 && isPlaceholder(part))
  )
    return 0.1
  const drawn = parts.some((part) => randomness(part) >= 0.2) || confidence === assignedIdConfidence ? 0 : 0.45
  return Math.max(0, confidence - drawn - (source.kind.madeUp ? 0.25 : 0) - (source.kind.format === "prose" ? 0.1 : 0))
}

const longestLine = 4096

const ruleOf = ({
  around,
  confidence = 0.9,
  kind = "provider-token",
  keywords,
  id,
  pattern
}: ProviderFormat): Rule => ({
  id: `provider/${id}`,
  keywords,
  find: (source, start, end, report) => {
    const { text } = source
    const take = (match: RegExpExecArray) => {
      const value = match[1] ?? match[0]
      const at = match.index + match[0].lastIndexOf(value)
      report({
        value,
        kind,
        confidence: tokenConfidence(source, value, confidence),
        start: at,
        end: at + value.length
      })
      return match.index + match[0].length
    }
    if (around === undefined) {
      if (
        start > 0 &&
        wordCharacter.test(text.charAt(start - 1)) &&
        !escapedBefore.test(text.slice(Math.max(0, start - 20), start))
      ) {
        return end
      }
      pattern.lastIndex = start
      const match = pattern.exec(text)
      return match === null ? end : take(match)
    }
    const from = Math.max(source.lineStart(start), start - longestLine)
    const to = Math.min(source.lineEnd(end), end + longestLine)
    const line = text.slice(from, to)
    for (const match of line.matchAll(pattern)) {
      match.index += from
      take(match)
    }
    return to
  }
})

const wordCharacter = /[\w.]/
/** An escape such as `\n` in a string literal, or a terminal colour code: its letter is not part of a word. */
const escapedBefore = /\\[nrt]$|\[\d{1,3}(?:;\d{1,3}){0,4}m$/

export const providerTokens: ReadonlyArray<Rule> = providerFormats.map(ruleOf)

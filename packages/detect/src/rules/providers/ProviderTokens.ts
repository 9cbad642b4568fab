/** Finds tokens by the formats in ProviderFormats.ts. */
import { keywordsOf } from "../KeywordsOf.ts"
import type { Rule } from "../Rule.ts"
import { type ProviderFormat, providerFormats } from "./ProviderFormats.ts"

const maxLine = 4096

export const ruleOf = (format: ProviderFormat): Rule => ({
  id: `provider/${format.id}`,
  keywords: format.keywords ?? keywordsOf(format.pattern),
  find: (source, start, end, report) => {
    const { form = "provider-token", kind = "provider-token", pattern } = format
    const { text } = source
    const take = (match: RegExpExecArray) => {
      const value = match[1] ?? match[0]
      const at = match.index + match[0].lastIndexOf(value)
      report({ form, value, kind, start: at, end: at + value.length })
      return match.index + match[0].length
    }
    if (pattern.sticky) {
      if (!beginsWord(text, start)) return end
      pattern.lastIndex = start
      const match = pattern.exec(text)
      return match === null ? end : take(match)
    }
    const from = Math.max(source.lineStart(start), start - maxLine)
    const to = Math.min(source.lineEnd(end), end + maxLine)
    const line = text.slice(from, to)
    for (const match of line.matchAll(pattern)) {
      match.index += from
      take(match)
    }
    return to
  }
})

/** Hot path, called for each keyword of each provider: looks at one character before it uses a regular expression. */
const beginsWord = (text: string, start: number): boolean => {
  const before = start === 0 ? " " : text.charAt(start - 1)
  if (!wordCharacters.has(before)) return true
  if (before === ".") return text.startsWith("secrets", start - 8)
  return "nrtm".includes(before) && escapedBefore.test(text.slice(Math.max(0, start - 20), start))
}

const wordCharacters: ReadonlySet<string> = new Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
/** An escape such as `\n` in a string literal, or a terminal colour code: its letter does not belong to the word. */
const escapedBefore = /\\[nrt]$|\[\d{1,3}(?:;\d{1,3}){0,4}m$/

export const providerTokens: ReadonlyArray<Rule> = providerFormats.map(ruleOf)

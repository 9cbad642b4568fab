/** Passwords, keys and tokens in what strangers wrote: by the name of a field, and inside a text. */
import type { Engine } from "../leaks/Engine.ts"
import { Lines } from "../leaks/Lines.ts"

/** Of a text, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What stands in place of a secret. */
export const masked = "••••••••"

/** Whether what a field of this name holds is not for every eye. */
export const namesSecret = (field: string): boolean => {
  const words = field
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z\d]+/u)
  return words.some((word, at) => secretWords.has(word) || secretPairs.has(`${words[at - 1]} ${word}`))
}

const secretWords = new Set(
  "password passwords passwd pwd passphrase passcode pass secret secrets token tokens cookie cookies cvv cvc pin apikey".split(
    " "
  )
)
const secretPairs = new Set(["api key", "private key", "access key", "secret key", "credential hash", "password hash"])

/** Where secrets stand in a text, in order and apart from one another. */
export type FindSecrets = (text: string) => ReadonlyArray<Range>

export const findSecrets =
  (candidatesIn: Engine["candidatesIn"]): FindSecrets =>
  (text) => {
    const lines = new Lines(text)
    const found: Array<Range> = []
    // A NUL would pass the whole for a binary file.
    const readable = text.replaceAll("\0", " ")
    for (const candidate of candidatesIn(readable, { path: "leak.txt" }, { minConfidence: 0.3 })) {
      const { start, end } = lines.spanOf(candidate)
      found.push({ start: lines.offset(start), end: lines.offset(end) })
    }
    for (const pattern of spoken) {
      for (const match of text.matchAll(pattern)) {
        const [start, end] = match.indices?.[1] ?? [0, 0]
        found.push({ start, end })
      }
    }
    return apart(found)
  }

/** Of the text, without what is secret in it. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<Range>): string => {
  let shown = ""
  let from = 0
  for (const { start, end } of secrets) {
    shown += text.slice(from, start) + masked
    from = end
  }
  return shown + text.slice(from)
}

/** As people and stealers write them down, which no file of code does: `account:password` and `Password: …`. */
const spoken = [
  /[\w.+%-]+@[\w-]+(?:\.[\w-]+)+[ \t]*[:;|][ \t]*([^\s|;,]{3,})/dgu,
  /(?:pass(?:word|wd|phrase|code)?|pwd|mot de passe|secret|token|api[ _-]?key)["']?[ \t]*[:=][ \t]*["']?([^\s"',;]{3,})/dgiu
]

const apart = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const joined: Array<Range> = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last === undefined || range.start >= last.end) joined.push(range)
    else if (range.end > last.end) joined[joined.length - 1] = { start: last.start, end: range.end }
  }
  return joined
}

/** Passwords, keys and tokens inside a text that strangers wrote. */
import { candidatesIn } from "@threat-exposure/detect/Text"
import { Lines, spanOf } from "./Lines.ts"
import type { FindSecrets, Range } from "../editor/Secrets.ts"

export const secretsIn: FindSecrets = (text) => {
  const lines = new Lines(text)
  const found: Array<Range> = []
  // A NUL would pass the whole for a binary file.
  const readable = text.replaceAll("\0", " ")
  for (const candidate of candidatesIn(readable, { path: "leak.txt" }, { minConfidence: 0.07 })) {
    const { start, end } = spanOf(candidate.location)
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

/** Reads a word of a POSIX shell that consists of several quoted or escaped parts: `'it'"'"'s'`, `$'it\'s'`, `it\'s`. */
import type { FileKind } from "./FileKind.ts"
import { matchAt } from "./MatchAt.ts"
import { unescape } from "./StringLiteral.ts"

export interface ShellWord {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Undefined for a word of one part, which reads as it is written, and for one with an expansion. */
export const shellWordAt = (text: string, at: number, { format, name }: FileKind): ShellWord | undefined => {
  if (format !== "shell" || otherShells.test(name)) return undefined
  const written = matchAt(word, text, at)?.[0] ?? ""
  const parts = written.match(part) ?? []
  const [first = ""] = parts
  if (parts.length < 2 && !first.startsWith("$'")) return undefined
  return { value: parts.map(valueOf).join(""), start: at, end: at + written.length }
}

const otherShells = /\.(?:ps[md]?1|bat|cmd|mk)$|file$/
const bare = String.raw`[^\s'"\\$\x60;&|<>()]`
const parts = String.raw`\$'(?:[^'\\\n]|\\[^\n]){0,512}'|'[^'\n]{0,512}'|"(?:[^"\\$\x60\n]|\\[^\n]){0,512}"|\\[^\n]|${bare}{1,512}(?!${bare})`
const word = new RegExp(String.raw`(?:${parts}){1,64}(?=[\s;&|<>()]|$)`, "y")
const part = new RegExp(parts, "g")

const valueOf = (written: string): string => {
  if (written.startsWith("$'")) return unescape(written.slice(2, -1))
  if (written.startsWith("'")) return written.slice(1, -1)
  return written.startsWith('"') ? written.slice(1, -1).replace(/\\([\\"$`])/g, "$1") : written.replace(/^\\/, "")
}

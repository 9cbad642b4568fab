/** Scans fenced code blocks of documents (CommonMark 0.31, section 4.5) as files of their language. */
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

export const codeBlocks: Rule = {
  id: "code-block",
  keywords: ["```", "~~~"],
  find: (source, start, end, report) => {
    const { kind, text } = source
    const lineStart = source.lineStart(start)
    // In a longer fence, the keyword matches at every character.
    if (kind.format !== "prose" || text.charAt(start - 1) === text.charAt(start) || start - lineStart > maxIndent)
      return end
    const open = /^[ \t>]*$/.test(text.slice(lineStart, start)) ? matchAt(opening, text, start) : null
    const from = source.lineEnd(start) + 1
    if (open === null || text.slice(start + open[0].length, from).includes("`") || from > text.length) return end
    const [, fence = "", language = ""] = open
    const block = text.slice(from - 1, from + maxBlock + fence.length)
    const close = block.indexOf(`\n${fence}`)
    const indented = close < 0 ? block.indexOf(fence, 1) - 1 : close
    if (indented < 0 && text.length - from > maxBlock) return from
    const to = indented < 0 ? text.length : from + indented
    for (const finding of source.within(text.slice(from, to), pathOf(language.toLowerCase()))) {
      report({ ...finding, start: from + finding.start, end: from + finding.end })
    }
    return Math.min(text.length, to + fence.length)
  }
}

const opening = /(`{3,64}|~{3,64})[ \t]{0,8}\{?[ \t.]{0,8}([\w+#-]{0,40})/y
const maxIndent = 100
const maxBlock = 100_000

/** A path from which FileKind.ts derives the format. Most blocks without a language are settings or commands. */
const pathOf = (language: string): string => {
  if (language === "" || language === "text" || language === "txt") return "block.txt"
  if (shells.has(language)) return "block.sh"
  if (language === "dotenv") return ".env"
  if (language === "dockerfile") return "dockerfile"
  return `block.${names.get(language) ?? language}`
}

const shells: ReadonlySet<string> = new Set(["console", "shell", "shell-session", "terminal", "powershell", "batch"])
const names: ReadonlyMap<string, string> = new Map([
  ["javascript", "js"],
  ["typescript", "ts"],
  ["python", "py"],
  ["ruby", "rb"],
  ["csharp", "cs"],
  ["c#", "cs"],
  ["kotlin", "kt"],
  ["rust", "rs"],
  ["golang", "go"],
  ["terraform", "tf"],
  ["env", "env"],
  ["docker", "dockerfile"]
])

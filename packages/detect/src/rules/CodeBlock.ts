/** Code between fences in a text for readers (CommonMark 0.31, section 4.5): read as a file of its language. */
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

export const codeBlocks: Rule = {
  id: "code-block",
  keywords: ["```", "~~~"],
  find: (source, start, end, report) => {
    const { kind, text } = source
    if (kind.format !== "prose" || !/^[ \t>]*$/.test(text.slice(source.lineStart(start), start))) return end
    const open = matchAt(opening, text, start)
    if (open === null) return end
    const [line, fence = "", language = ""] = open
    const from = start + line.length
    const close = text.indexOf(`\n${fence}`, from - 1)
    const indented = close < 0 ? text.indexOf(fence, from) : close + 1
    const to = indented < 0 ? text.length : indented
    if (to - from > longestBlock) return from
    for (const finding of source.within(text.slice(from, to), pathOf(language.toLowerCase()))) {
      report({ ...finding, start: from + finding.start, end: from + finding.end })
    }
    return Math.min(text.length, to + fence.length)
  }
}

const opening = /(`{3,}|~{3,})[ \t]*\{?[ \t.]*([\w+#-]*)[^\n`]*\n/y
const longestBlock = 100_000

/** A path from which FileKind.ts derives the format. Without a language most blocks are settings and commands. */
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

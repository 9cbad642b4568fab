/** Scans code blocks of documents as files of their language; those of Markdown as in CommonMark 0.31, section 4.5. */
import { matchAt } from "../text/MatchAt.ts"
import type { Source } from "../text/Source.ts"
import type { Report, Rule } from "./Rule.ts"

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
    scan(source, from, to, language, report)
    return Math.min(text.length, to + fence.length)
  }
}

/** Blocks of AsciiDoc, Org, reStructuredText and MediaWiki, which name their language in a line or tag before. */
export const markupBlocks: Rule = {
  id: codeBlocks.id,
  keywords: ["[source", "#+begin_src", "code-block::", "code::", "sourcecode::", "<syntaxhighlight", "<source "],
  find: (source, start, end, report) => {
    const { kind, text } = source
    const open = kind.format === "prose" ? matchAt(markupOpening, text, start) : null
    if (open === null) return end
    const from = start + open[0].length
    const indent = open.groups?.["indent"]
    const language = open.slice(1).find((group) => /\w/.test(group ?? "")) ?? ""
    const block = text.slice(from, from + maxBlock)
    const close = (indent === undefined ? endOfMarkup : new RegExp(`\\n(?![ \\t]*\\n)(?!${indent})`)).exec(block)
    const to = from + (close?.index ?? block.length)
    scan(source, from, to, language, report)
    return Math.max(end, to)
  }
}

const markupOpening =
  /\[source(?:,[ \t]*([\w+#-]{1,40}))?[^\]\n]{0,200}\][ \t]*\n(?:\.[^\n]{0,200}\n)?-{4,64}[ \t]*\n|#\+begin_src[ \t]+([\w+#-]{1,40})[^\n]{0,200}\n|(?:code-block|code|sourcecode)::[ \t]*([\w+#-]{0,40})[ \t]*\n(?:[ \t]+:[^\n]{0,200}\n){0,9}(?:[ \t]*\n){1,3}(?=(?<indent>[ \t]{1,40})\S)|<(?:syntaxhighlight|source)[ \t]+lang=["']?([\w+#-]{1,40})["']?[^<>\n]{0,200}>/iy
const endOfMarkup = /\n-{4,64}[ \t]*(?:\n|$)|\n[ \t]*#\+end_src|<\/(?:syntaxhighlight|source)>/i

const scan = (source: Source, from: number, to: number, language: string, report: Report) => {
  for (const finding of source.within(source.text.slice(from, to), pathOf(language.toLowerCase()))) {
    report({ ...finding, start: from + finding.start, end: from + finding.end })
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

/** Finds passwords and tokens in Markdown tables, by column headers. */
import type { Rule } from "./Rule.ts"
import { secretColumns } from "./DatabaseDump.ts"

export const markdownTables: Rule = {
  id: "markdown-table",
  keywords: ["|--", "| --", "|:-", "| :-"],
  find: (source, start, _end, report) => {
    const { kind, text } = source
    const ruler = source.lineStart(start)
    const resume = source.lineEnd(start)
    if (kind.format !== "prose" || ruler === 0 || !/^[|:\s-]+$/.test(text.slice(ruler, resume))) return resume
    const columns = secretColumns(
      text
        .slice(source.lineStart(ruler - 1), ruler - 1)
        .replaceAll(",", " ")
        .replaceAll("|", ",")
    )
    let at = resume + 1
    while (columns.size > 0 && at < text.length) {
      const next = source.lineEnd(at) + 1
      const line = text.slice(at, next - 1)
      if (!line.includes("|")) break
      let offset = at
      for (const [column, cell] of line.split("|").entries()) {
        const value = cell.trim().replace(/^`(.*)`$/, "$1")
        const means = columns.get(column)
        if (means !== undefined && value !== "" && !/\s/.test(value)) {
          const from = offset + cell.indexOf(value)
          const token = means === "token"
          report({
            form: token ? "token" : "column",
            value,
            kind: token ? "generic-secret" : "password",
            start: from,
            end: from + value.length
          })
        }
        offset += cell.length + 1
      }
      at = next
    }
    return Math.max(resume, at - 1)
  }
}

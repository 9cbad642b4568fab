/**
 * Finds passwords and tokens in tables of Markdown, Org, reStructuredText and AsciiDoc, by the header of the column or
 * the name in the first cell.
 */
import type { Report, Rule } from "./Rule.ts"
import { secretColumns } from "./DatabaseDump.ts"
import { secretName } from "./SecretName.ts"

export const markdownTables: Rule = {
  id: "markdown-table",
  keywords: ["--|", "-- |", "|--", "| --", "|:-", "| :-", "--+", "==+", "|==="],
  find: (source, start, _end, report) => {
    const { kind, text } = source
    const ruler = source.lineStart(start)
    const resume = source.lineEnd(start)
    const line = text.slice(ruler, resume).trim()
    if (kind.format !== "prose" || !rulers.test(line)) return resume
    // In AsciiDoc, the header is the first row; elsewhere, it is above the ruler.
    const isAsciiDoc = line === asciiDoc
    const headerAt = isAsciiDoc ? resume + 1 : ruler === 0 ? 0 : source.lineStart(ruler - 1)
    const headerEnd = isAsciiDoc ? source.lineEnd(headerAt) : Math.max(0, ruler - 1)
    const header = text.slice(headerAt, headerEnd)
    if (!header.includes("|")) return resume
    const columns = secretColumns(header.replaceAll(",", " ").replaceAll("|", ","))
    let at = (isAsciiDoc ? headerEnd : resume) + 1
    while (at < text.length) {
      const next = source.lineEnd(at) + 1
      const row = text.slice(at, next - 1)
      const isEnd = isAsciiDoc ? row.trim() === asciiDoc : !row.includes("|") && !rulers.test(row.trim())
      if (isEnd) break
      readRow(row, at, columns, report)
      at = next
    }
    return Math.max(resume, at - 1)
  }
}

/** A line between header and rows; with equals signs, in a grid table of reStructuredText. */
const rulers = /^[|+:=\s-]+$/
const asciiDoc = "|==="

const readRow = (row: string, rowStart: number, columns: ReturnType<typeof secretColumns>, report: Report): void => {
  let offset = rowStart
  let name = ""
  for (const [column, cell] of row.split("|").entries()) {
    const value = cell.trim().replace(/^([`*]{1,2})(.*)\1$/, "$2")
    const means = columns.get(column) ?? (columns.size === 0 && name !== "" ? secretName(name) : "none")
    if (means !== "none" && value !== "" && !/\s/.test(value)) {
      const form = means === "password" ? "column" : means
      const kind = means === "password" ? "password" : "generic-secret"
      const from = offset + cell.indexOf(value)
      report({ form, value, kind, name, start: from, end: from + value.length })
    }
    // The cell before a value names it: `| API token | … |`.
    name = column < 2 && label.test(value) ? value.replaceAll(" ", "_") : ""
    offset += cell.length + 1
  }
}

const label = /^[A-Za-z][\w .-]{1,60}$/

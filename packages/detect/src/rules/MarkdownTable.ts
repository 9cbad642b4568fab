/**
 * Finds passwords and tokens in tables of Markdown, Org, reStructuredText, AsciiDoc and MediaWiki, by the header of the
 * column or the name in the first cell.
 */
import { matchAt } from "../text/MatchAt.ts"
import type { Report, Rule } from "./Rule.ts"
import { secretColumns } from "./DatabaseDump.ts"
import { secretName } from "./SecretName.ts"

export const markdownTables: Rule = {
  id: "markdown-table",
  keywords: ["--|", "-- |", "|--", "| --", "|:-", "| :-", "--+", "==+", "== ==", "|==="],
  find: (source, start, _end, report) => {
    const { kind, text } = source
    const ruler = source.lineStart(start)
    const resume = source.lineEnd(start)
    const line = text.slice(ruler, resume).trimEnd()
    const isAligned = alignment.test(line)
    if (kind.format !== "prose" || !(isAligned || rulers.test(line))) return resume
    // In AsciiDoc, the header is the first row; elsewhere, it is above the ruler.
    const isAsciiDoc = line === asciiDoc
    const headerAt = isAsciiDoc ? resume + 1 : ruler === 0 ? 0 : source.lineStart(ruler - 1)
    const headerEnd = isAsciiDoc ? source.lineEnd(headerAt) : Math.max(0, ruler - 1)
    const header = text.slice(headerAt, headerEnd)
    if (!isAligned && !header.includes("|")) return resume
    const cellsOf = isAligned ? alignedCells(line) : barredCells
    const columns = columnsOf(cellsOf(header, headerAt))
    let at = (isAsciiDoc ? headerEnd : resume) + 1
    while (at < text.length) {
      const next = source.lineEnd(at) + 1
      const row = text.slice(at, next - 1)
      const isEnd = isAligned
        ? alignment.test(row.trimEnd())
        : isAsciiDoc
          ? row.trim() === asciiDoc
          : !row.includes("|") && !rulers.test(row.trim())
      if (isEnd) break
      readRow(cellsOf(row, at), columns, report)
      at = next
    }
    return Math.max(resume, at - 1)
  }
}

/** A table of MediaWiki, with the cells of a row on one line or on lines of their own. */
export const wikiTables: Rule = {
  id: markdownTables.id,
  keywords: ["{|"],
  find: (source, start, end, report) => {
    const { kind, text } = source
    if (kind.format !== "prose" || source.lineStart(start) !== start) return end
    const header: Array<Cell> = []
    const row: Array<Cell> = []
    let at = source.lineEnd(start) + 1
    for (let mark = ""; mark !== "|}" && at < text.length; at = source.lineEnd(at) + 1) {
      mark = matchAt(wikiMark, text, at)?.[0] ?? ""
      const from = at + mark.length
      const line = text.slice(from, source.lineEnd(at))
      const cells = mark === "!" ? header : mark === "|" ? row : undefined
      if (cells !== undefined) {
        const more = barredCells(mark === "!" ? line.replaceAll("!!", "||") : line, from, "||")
        cells.push(...more.slice(0, maxColumns - cells.length))
      } else if (mark !== "") readRow(row.splice(0), columnsOf(header), report)
    }
    return Math.max(end, at - 1)
  }
}

const maxColumns = 100

/** The end of a table, the beginning of a row, or that of cells. */
const wikiMark = /\|[}+-]|[|!](?![|!])/y

interface Cell {
  readonly text: string
  readonly start: number
}

const barredCells = (row: string, at: number, bar = "|"): ReadonlyArray<Cell> => {
  let start = at
  return row.split(bar).map((text) => {
    const cell = { text, start }
    start += text.length + bar.length
    return cell
  })
}

/** Reads the cells below the lines of a ruler. */
const alignedCells = (ruler: string) => {
  const starts = Array.from(ruler.matchAll(/=+/g), ({ index }) => index)
  return (row: string, at: number): ReadonlyArray<Cell> =>
    starts.map((start, column) => ({ text: row.slice(start, starts[column + 1]), start: at + start }))
}

/** A line between header and rows; with equals signs, in a grid table of reStructuredText. */
const rulers = /^\s*[|+:=\s-]+$/
/** The lines above and below the rows of a simple table of reStructuredText. */
const alignment = /^[ \t]*==+(?: +==+){1,99}$/
const asciiDoc = "|==="

const columnsOf = (header: ReadonlyArray<Cell>) =>
  secretColumns(header.map(({ text }) => text.replaceAll(",", " ").replace(/.*\|/, "")).join(","))

const readRow = (row: ReadonlyArray<Cell>, columns: ReturnType<typeof secretColumns>, report: Report): void => {
  let name = ""
  for (const [column, { start, text: cell }] of row.entries()) {
    // In MediaWiki, attributes and a bar may precede the text of a cell.
    const text = cell.slice(cell.lastIndexOf("|") + 1)
    const value = text.trim().replace(/^([`*]{1,2})(.*)\1$/, "$2")
    const means = columns.get(column) ?? (columns.size === 0 && name !== "" ? secretName(name) : "none")
    if (means !== "none" && value !== "" && !/\s/.test(value)) {
      const form = means === "password" ? "column" : means
      const kind = means === "password" ? "password" : "generic-secret"
      const from = start + cell.lastIndexOf(value)
      report({ form, value, kind, name, start: from, end: from + value.length })
    }
    // The cell before a value names it: `| API token | … |`.
    name = column < 2 && label.test(value) ? value.replaceAll(" ", "_") : ""
  }
}

const label = /^[A-Za-z][\w .-]{1,60}$/

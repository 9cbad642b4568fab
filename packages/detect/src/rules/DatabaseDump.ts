/** Finds passwords and tokens in rows of database dumps and delimited text files, by column names. */
import { isDigest, isUuid } from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import { matchAt } from "../text/MatchAt.ts"
import { type SecretName, secretName } from "./SecretName.ts"
import type { Source } from "../text/Source.ts"
import type { Report, Rule } from "./Rule.ts"

const insert = /insert\s+(?:ignore\s+)?into\s+([\w.`"[\]]{1,200})\s*(?:\(([^()]{0,20000})\)\s*)?values\s*/iy
const copy = /copy\s+[\w."]{1,200}\s*\(([^()]{0,20000})\)\s+from\s+stdin[^\n]*\n/iy

export const databaseDumps: Rule = {
  id: "database-dump",
  keywords: ["insert into", "insert ignore into", "copy "],
  find: (source, start, end, report) => {
    const { kind, text } = source
    if (kind.format !== "sql" && kind.format !== "other") return end
    copy.lastIndex = start
    const rows = copy.exec(text)
    if (rows !== null) {
      const from = rows.index + rows[0].length
      const end = text.indexOf("\n\\.", from - 1)
      const to = end < 0 ? text.length : end
      return rowsOfLines(source, { from, to, columns: secretColumns(rows[1] ?? ""), cell: copiedCell }, report)
    }
    insert.lastIndex = start
    const values = insert.exec(text)
    if (values === null) return end
    const columns = secretColumns(values[2] ?? tableColumns(source, values[1] ?? ""))
    return columns.size === 0 ? end : insertedRows(source, values.index + values[0].length, columns, report)
  }
}

/** A `.csv` or `.tsv` file whose first line has the column names. */
export const textTables: Rule = {
  id: "database-dump",
  keywords: [],
  path: /\.[ct]sv$/,
  find: (source, _start, end, report) => {
    const head = source.lineEnd(0)
    const line = source.text.slice(0, head)
    const separator = source.kind.name.endsWith(".tsv")
      ? "\t"
      : line.split(";").length > line.split(",").length
        ? ";"
        : ","
    const names = line.split(separator)
    const columns = secretColumns(names.join(","))
    const rows = { from: head + 1, to: source.text.length, columns, cell: cellOf(separator), width: names.length }
    return columns.size === 0 ? end : rowsOfLines(source, rows, report)
  }
}

/** Indices of columns whose names mean a secret, with their meaning. */
export const secretColumns = (list: string): ReadonlyMap<number, SecretName> =>
  new Map(
    list.split(",").flatMap((column, index) => {
      const name = /[\w-]+/.exec(column)?.[0] ?? ""
      const means = secretName(name)
      return means === "password" || means === "token" ? [[index, means] as const] : []
    })
  )

const known = new WeakMap<Source, ReadonlyMap<string, string>>()

const tableColumns = (source: Source, table: string): string => {
  const tables = known.get(source) ?? createdTables(source.text)
  known.set(source, tables)
  const name =
    table
      .replace(/[`"[\]]/g, "")
      .split(".")
      .at(-1) ?? ""
  return tables.get(name.toLowerCase()) ?? ""
}

/** Columns of each `CREATE TABLE` by table name. Dumps write one column per line. */
const createdTables = (text: string): ReadonlyMap<string, string> => {
  const tables = new Map<string, string>()
  const statements = [...text.matchAll(createTable)]
  for (const [index, { 0: head, 1: written = "", index: at }] of statements.entries()) {
    const name = written.toLowerCase()
    if (tables.has(name)) continue
    const body = text.slice(at + head.length, statements[index + 1]?.index)
    const columns = Array.from(
      body.slice(0, (body.indexOf(";") + 1 || body.length + 1) - 1).matchAll(columnDefinition),
      ([, column = ""]) => column
    )
    tables.set(
      name,
      columns
        .filter((column) => !/^(?:primary|unique|key|constraint|index|foreign|check|fulltext)$/i.test(column))
        .join(",")
    )
  }
  return tables
}

const createTable = /create\s{1,20}table[^(]{0,60}\b(\w{1,64})[`"\]]?\s{0,20}\(/gi
const columnDefinition = /^[ \t]*[`"[]?(\w{1,128})[`"\]]?[ \t]+\w/gm

/** An unquoted value includes the spaces around it. */
const cell = /(?:\s*'((?:[^'\\]|\\.|''){0,4096})'\s*|[^,()']{1,4096})(,|\))/y

const insertedRows = (
  source: Source,
  from: number,
  columns: ReadonlyMap<number, SecretName>,
  report: Report
): number => {
  const { text } = source
  let at = from
  while (text.charAt(at) === "(") {
    at++
    for (let column = 0; ; column++) {
      cell.lastIndex = at
      const match = cell.exec(text)
      if (match === null) return at
      const value = match[1]
      if (value !== undefined && columns.has(column))
        one(value, withoutEscapes(value), columns.get(column), at + match[0].indexOf("'") + 1, report)
      at += match[0].length
      if (match[2] === ")") break
    }
    const next = /[\s,]*/y
    next.lastIndex = at
    at += next.exec(text)?.[0].length ?? 0
  }
  return at
}

interface LineTable {
  /** Start of the first row, and end of the last. */
  readonly from: number
  readonly to: number
  readonly columns: ReadonlyMap<number, SecretName>
  /** A sticky expression: the cell in quotes or without, and what ends it. */
  readonly cell: RegExp
  /** Expected number of cells; rows with another number are ignored. */
  readonly width?: number
}

/** A cell of CSV (RFC 4180): in quotes it may contain separators, and its quotes are doubled. */
const cellOf = (separator: string) =>
  new RegExp(String.raw`(?:[ ]*"((?:[^"]|""){0,4096})"[ ]*|([^${separator}\n]*))(${separator}|\r?\n|$)`, "y")
const copiedCell = /(?!)()|([^\t\n]*)(\t|\n|$)/y

/** Returns the offset at which the rows end. */
const rowsOfLines = (source: Source, { cell, columns, from, to, width }: LineTable, report: Report): number => {
  let at = from
  while (at < to) {
    const found: Array<() => void> = []
    let column = 0
    for (let isLast = false; !isLast; column++) {
      const match = matchAt(cell, source.text, at)
      if (match === null) break
      const written = match[1] ?? (match[2] ?? "").trim()
      const value = match[1] === undefined ? written : written.replaceAll('""', '"')
      const means = columns.get(column)
      const start = at + match[0].indexOf(written)
      // The words of a natural language are also called tokens.
      if (means === "password" || (means === "token" && randomness(value) >= 0.5))
        found.push(() => one(written, value, means, start, report))
      isLast = match[3] === "" || match[3]?.endsWith("\n") === true
      at += match[0].length
    }
    for (const report of width === undefined || column === width ? found : []) report()
  }
  return to
}

const one = (written: string, value: string, means: SecretName | undefined, start: number, report: Report) => {
  if (value.length < 4 || value.length > 512 || value.includes("\n") || isUuid(value)) return
  // A table of users has digests, also without a salt.
  if (means === "password" && isDigest(value)) return
  report({ form: "column", value, start, end: start + written.length })
}

/** A quote in a literal of SQL is doubled or, in MySQL, escaped. */
export const withoutEscapes = (written: string): string =>
  written.replace(/''|\\(['"\\])/g, (_, escaped: string | undefined) => escaped ?? "'")

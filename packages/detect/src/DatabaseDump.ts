/** Passwords and tokens in the rows of a database dump or a table of text, told by the names of their columns. */
import { isEncrypted, isPlaceholder, isReference, isUuid, isWeak } from "./Placeholder.ts"
import { rarity } from "./Rarity.ts"
import { type SecretName, secretName } from "./SecretName.ts"
import type { Detector, Finding, Source } from "./Source.ts"

const insert = /insert\s+(?:ignore\s+)?into\s+([\w.`"[\]]+)\s*(?:\(([^()]*)\)\s*)?values\s*/iy
const copy = /copy\s+[\w."]+\s*\(([^()]*)\)\s+from\s+stdin[^\n]*\n/iy

export const databaseDumps: Detector = {
  literals: ["insert into", "insert ignore into", "copy "],
  at: (source, start, end, report) => {
    const { kind, text } = source
    if (kind.format !== "sql" && kind.format !== "other") return end
    copy.lastIndex = start
    const rows = copy.exec(text)
    if (rows !== null) return copiedRows(source, rows.index + rows[0].length, secretColumns(rows[1] ?? ""), report)
    insert.lastIndex = start
    const values = insert.exec(text)
    if (values === null) return end
    const columns = secretColumns(values[2] ?? tableColumns(source, values[1] ?? ""))
    return columns.size === 0 ? end : insertedRows(source, values.index + values[0].length, columns, report)
  }
}

/** The rows of a table whose first line names its columns; a row that has more or fewer cells is left out. */
export const textTable = (source: Source, report: (finding: Finding) => void): void => {
  const { name } = source.kind
  const separator = name.endsWith(".tsv") ? "\t" : name.endsWith(".csv") ? /[,;]/ : undefined
  if (separator === undefined) return
  const head = source.lineEnd(0)
  const names = source.text.slice(0, head).split(separator)
  const columns = secretColumns(names.join(","))
  let at = columns.size === 0 ? source.text.length : head + 1
  while (at < source.text.length) {
    const end = source.lineEnd(at)
    const cells = source.text.slice(at, end).split(separator)
    for (const [column, cell] of cells.length === names.length ? cells.entries() : []) {
      const value = cell.trim().replace(/^"(.*)"$/, "$1")
      const means = columns.get(column)
      // The words of a language are called tokens, too.
      if (means === "password" || (means === "token" && rarity(value) >= 0.5))
        one(source, value, at + cell.indexOf(value), report)
      at += cell.length + 1
    }
    at = end + 1
  }
}

/** The places of the columns whose names mean a secret, and what they mean. */
const secretColumns = (list: string): ReadonlyMap<number, SecretName> =>
  new Map(
    list.split(",").flatMap((column, index) => {
      const name = /[\w-]+/.exec(column)?.[0] ?? ""
      const means = secretName(
        name.replace(/_?(?:hash|digest|encrypted|crypted)$|^(?:encrypted|hashed|crypted)_?/i, "")
      )
      return means === "password" || means === "token" ? [[index, means] as const] : []
    })
  )

const known = new WeakMap<Source, Map<string, string>>()

const tableColumns = (source: Source, table: string): string => {
  const tables = known.get(source) ?? new Map<string, string>()
  known.set(source, tables)
  const columns = tables.get(table) ?? columnsOf(source.text, table)
  tables.set(table, columns)
  return columns
}

/** The columns that the text's own `CREATE TABLE` gives a table, one a line as every dump writes them. */
const columnsOf = (text: string, table: string): string => {
  const name =
    table
      .replace(/[`"[\]]/g, "")
      .split(".")
      .at(-1) ?? ""
  const create = ["create\\s+table[^(]{0,60}\\b", name.replace(/\W/g, ""), '\\b[`"\\]]?\\s*\\('].join("")
  const at = text.search(new RegExp(create, "i"))
  if (at < 0) return ""
  const body = text.slice(text.indexOf("(", at) + 1, text.indexOf(";", at))
  return Array.from(body.matchAll(/^\s*[`"[]?(\w+)[`"\]]?\s+\w/gm), ([, column = ""]) => column)
    .filter((column) => !/^(?:primary|unique|key|constraint|index|foreign|check|fulltext)$/i.test(column))
    .join(",")
}

const cell = /\s*(?:'((?:[^'\\]|\\.|'')*)'|([^,()']+))\s*(,|\))/y

const insertedRows = (
  source: Source,
  from: number,
  columns: ReadonlyMap<number, SecretName>,
  report: (finding: Finding) => void
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
      if (value !== undefined && columns.has(column)) one(source, value, at + match[0].indexOf("'") + 1, report)
      at += match[0].length
      if (match[3] === ")") break
    }
    const next = /[\s,]*/y
    next.lastIndex = at
    at += next.exec(text)?.[0].length ?? 0
  }
  return at
}

const copiedRows = (
  source: Source,
  from: number,
  columns: ReadonlyMap<number, SecretName>,
  report: (finding: Finding) => void
): number => {
  const { text } = source
  let at = from
  while (at < text.length && !text.startsWith("\\.", at)) {
    const end = source.lineEnd(at)
    let start = at
    text
      .slice(at, end)
      .split("\t")
      .forEach((value, column) => {
        if (columns.has(column) && value !== "\\N") one(source, value, start, report)
        start += value.length + 1
      })
    at = end + 1
  }
  return Math.min(at, text.length)
}

const one = (source: Source, value: string, start: number, report: (finding: Finding) => void) => {
  if (value.length < 4 || value.length > 512 || /\s/.test(value) || isUuid(value)) return
  if (isPlaceholder(value) || isReference(value) || isEncrypted(value)) return
  const confidence = isWeak(value) || /^[a-z]+$/.test(value) ? 0.45 : rarity(value) >= 0.5 ? 0.75 : 0.6
  report({
    value,
    kind: "password",
    rule: "database-dump",
    confidence: Math.max(0, confidence - (source.kind.madeUp ? 0.3 : 0)),
    start,
    end: start + value.length
  })
}

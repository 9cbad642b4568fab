/** Rows as CSV (RFC 4180), which spreadsheets open: no cell of a leak becomes a formula there. */
import { csvCell } from "@threat-exposure/leak-check/report/Escape"

export const csv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")

/** The rows of what `csv` wrote. */
export const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = [[]]
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gu)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ",") rows.push([])
  }
  return rows.slice(0, -1)
}

const cell = (value: string): string => {
  const text = csvCell(value)
  return /[",;\t\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV (RFC 4180) whose cells spreadsheets do not run as formulas. */
import { csvCell } from "@threat-exposure/leak-check/report/Escape"

export const csv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")

/** Parses the output of `csv`. */
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

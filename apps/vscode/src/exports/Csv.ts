/** Rows as CSV (RFC 4180), which spreadsheets open: no cell of a leak becomes a formula there. */

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

/** A spreadsheet with another separator starts a cell after that one, and a row after a line end. */
const beginning = /(^|[;\t\r\n])(\s*)(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/gu

const cell = (value: string): string => {
  const text = value.replaceAll(beginning, "$1$2'")
  return /[",;\t\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

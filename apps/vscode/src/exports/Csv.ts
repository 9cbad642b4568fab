/** Rows as CSV (RFC 4180), which spreadsheets open: no cell of a leak becomes a formula there. */

export const csv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")

const cell = (value: string): string => {
  const text = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

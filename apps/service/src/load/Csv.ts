/** CSV (RFC 4180). The thread that reads the file finds the ends of rows without parsing. */

/** Scans consecutive chunks for the ends of rows. Calls `ended` with the position after each row. */
export const rowScanner = (delimiter: string): ((bytes: Uint8Array, ended: (end: number) => void) => void) => {
  const separator = delimiter.charCodeAt(0)
  let isQuoted = false
  let isCellStart = true
  return (bytes, ended) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]
      // A quote opens a cell only at its start; a doubled quote closes and reopens it.
      if (byte === quote && (isQuoted || isCellStart)) isQuoted = !isQuoted
      isCellStart = byte === separator || byte === newline || (byte === quote && !isQuoted)
      if (byte === newline && !isQuoted) ended(at + 1)
    }
  }
}

/** The cells of a row. Undefined if a quoted cell is not closed, or continues after its closing quote. */
export const cellsOf = (row: string, delimiter: string): ReadonlyArray<string> | undefined => {
  const cells: Array<string> = []
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${delimiter}]*))(${delimiter}|$)`, "y")
  for (;;) {
    const found = cell.exec(row)
    if (found === null) return undefined
    const [, quoted, plain = "", end] = found
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === "") return cells
  }
}

const quote = 0x22
const newline = 0x0a

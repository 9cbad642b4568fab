/**
 * CSV by RFC 4180, of which a file can be read in parts. A library would be a second opinion on where a row ends: the
 * thread that reads the file must know that without parsing it.
 */

/** Where rows end, in bytes that follow the ones before. Calls `ended` with the position after each line break of a row. */
export const rowScanner = (delimiter: string): ((bytes: Uint8Array, ended: (end: number) => void) => void) => {
  const separator = delimiter.charCodeAt(0)
  let isQuoted = false
  let isCellStart = true
  return (bytes, ended) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]
      // A quote opens a cell at its beginning alone; a doubled one closes the cell and opens it again.
      if (byte === quote && (isQuoted || isCellStart)) isQuoted = !isQuoted
      isCellStart = byte === separator || byte === newline || (byte === quote && !isQuoted)
      if (byte === newline && !isQuoted) ended(at + 1)
    }
  }
}

/** Undefined where a quoted cell is not closed, or goes on after its closing quote. */
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

import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import { maxDepth, isTooDeep } from "@threat-exposure/command-line/JsonDepth"
import { cellsOf, rowScanner } from "./Csv.ts"
import { freeBuffer, maximumRecordBytes, type RecordChunk } from "./RecordChunks.ts"
import type { RecordFormat } from "./RecordFormat.ts"

export interface RefusedRecord {
  /** The position in the file, as in `line 12`. */
  readonly position: string
  readonly reason: string
}

/** Non-empty cells by column. */
export type Cells = ReadonlyMap<string, string>

/** Keeps a cell that is not a number as a string, which the schema refuses. */
export const integerOf = (cell: string): number | string => (/^-?\d+$/u.test(cell.trim()) ? Number(cell) : cell)

export interface RecordSchema<Read> {
  readonly read: (json: unknown) => Result.Result<Read, string>
  /** Converts a CSV row to the JSON that `read` accepts. Absent if CSV is not accepted. */
  readonly ofCells?: (cells: Cells) => unknown
}

/** Passes each record to `take`, one by one, to keep none in memory. Returns the refused records. Frees the chunk. */
export const readRecords = <Read>(
  chunk: RecordChunk,
  { ofCells, read }: RecordSchema<Read>,
  take: (record: Read) => void
): ReadonlyArray<RefusedRecord> => {
  const { firstNumber, format, text } = chunk
  const refused: Array<RefusedRecord> = []
  const refuse = (index: number, reason: string): void => {
    refused.push({ position: `${unitOf[format.type]} ${firstNumber + index}`, reason })
  }
  if (text === undefined) {
    refuse(0, `it is longer than ${maximumRecordBytes / 1_048_576} MiB`)
    return refused
  }
  eachLine(text, format, (line, index) => {
    if (line === undefined) return refuse(index, "it is not UTF-8")
    if (line.trim() === "" || (format.type === "csv" && firstNumber + index === 1)) return
    const json = format.type === "csv" ? ofRow(line, format, ofCells) : ofJson(line)
    const record = Result.isSuccess(json) ? read(json.success) : json
    if (Result.isSuccess(record)) take(record.success)
    else refuse(index, record.failure)
  })
  freeBuffer(text.buffer)
  return refused
}

const unitOf = { lines: "line", csv: "row", array: "record", values: "record" } as const

/** Undefined for a line that is not UTF-8. Substrings of one large string would keep all of it in memory. */
const eachLine = (given: Uint8Array, format: RecordFormat, take: (line: string | undefined, index: number) => void) => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const isValid = isUtf8(bytes)
  let start = 0
  let index = 0
  const endRecord = (end: number) => {
    const isLine = isValid || isUtf8(bytes.subarray(start, end))
    take(isLine ? bytes.toString("utf8", start, end).replace(/^\uFEFF/u, "") : undefined, index)
    start = end
    index += 1
  }
  if (format.type === "csv") rowScanner(format.delimiter)(bytes, endRecord)
  else for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) endRecord(end + 1)
  if (start < bytes.length) endRecord(bytes.length)
}

const ofJson = (line: string): Result.Result<unknown, string> => {
  if (isTooDeep(line)) return Result.fail(`its objects and lists are nested more than ${maxDepth} deep`)
  try {
    return Result.succeed(JSON.parse(line))
  } catch {
    return Result.fail("it is not JSON")
  }
}

const ofRow = (
  row: string,
  { columns, delimiter }: RecordFormat & { readonly type: "csv" },
  ofCells: ((cells: Cells) => unknown) | undefined
): Result.Result<unknown, string> => {
  const cells = cellsOf(row.replace(/\r?\n$/u, ""), delimiter)
  if (cells === undefined || ofCells === undefined)
    return Result.fail("a quoted cell is not closed, or continues after its closing quote")
  if (cells.length !== columns.length) {
    return Result.fail(`its number of cells is ${cells.length}, but the header has ${columns.length}`)
  }
  return Result.succeed(
    ofCells(new Map(cells.flatMap((cell, at) => (cell === "" ? [] : [[columns[at] ?? "", removeFormulaGuard(cell)]]))))
  )
}

/** Exports put an apostrophe in front of a cell that a spreadsheet would run as a formula. */
const removeFormulaGuard = (cell: string): string =>
  /^\s*'[=+\-@\uff0b\uff0d\uff1d\uff20]/u.test(cell) ? cell.replace("'", "") : cell

/** Decodes the records of a chunk, or refuses them. */
import * as Result from "effect/Result"
import { deepest, isTooDeep } from "../requests/JsonDepth.ts"
import { cellsOf, rowScanner } from "./Csv.ts"
import { maximumRecordBytes, type RecordChunk } from "./RecordChunks.ts"
import type { RecordFormat } from "./RecordFormat.ts"

export interface RefusedRecord {
  /** As in `line 12`. */
  readonly position: string
  /** What is wrong. Contains no value. */
  readonly reason: string
}

/** Non-empty cells by column. */
export type Cells = ReadonlyMap<string, string>

/** Leaves a cell that is not a number as text, which its schema refuses. */
export const integerOf = (cell: string): number | string => (/^-?\d+$/u.test(cell.trim()) ? Number(cell) : cell)

export interface RecordSchema<Read> {
  /** Decodes the record, or says what is wrong with it. */
  readonly read: (json: unknown) => Result.Result<Read, string>
  /** Converts a CSV row to the JSON that `read` accepts. Absent if CSV is not accepted. */
  readonly ofCells?: (cells: Cells) => unknown
}

/** Passes each record to `take` and keeps none. Returns those that are refused. */
export const readRecords = <Read>(
  chunk: RecordChunk,
  { ofCells, read }: RecordSchema<Read>,
  take: (record: Read) => void
): ReadonlyArray<RefusedRecord> => {
  const { firstNumber, format, text } = chunk
  const refused: Array<RefusedRecord> = []
  const refuse = (index: number, reason: string) =>
    refused.push({ position: `${unitOf[format.type]} ${firstNumber + index}`, reason })
  if (text === undefined) {
    refuse(0, `it is longer than ${maximumRecordBytes / 1_048_576} MiB`)
    return refused
  }
  for (const [index, line] of linesOf(text, format).entries()) {
    if (line === undefined) refuse(index, "it is not UTF-8")
    else if (line.trim() !== "" && !(format.type === "csv" && firstNumber + index === 1)) {
      const json = format.type === "csv" ? ofRow(line, format, ofCells) : ofJson(line)
      const record = Result.flatMap(json, read)
      if (Result.isSuccess(record)) take(record.success)
      else refuse(index, record.failure)
    }
  }
  return refused
}

const unitOf = { lines: "line", csv: "row", array: "record", values: "record" } as const

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Undefined where it is not UTF-8. */
const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** A line is undefined if it is not UTF-8. */
const linesOf = (bytes: Uint8Array, format: RecordFormat): ReadonlyArray<string | undefined> => {
  const whole = format.type === "csv" ? undefined : decoded(bytes)
  if (whole !== undefined) return whole.split("\n")
  const lines: Array<string | undefined> = []
  let start = 0
  const ended = (end: number) => {
    lines.push(decoded(bytes.subarray(start, end)))
    start = end
  }
  if (format.type === "csv") rowScanner(format.delimiter)(bytes, ended)
  else for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) ended(end + 1)
  return [...lines, decoded(bytes.subarray(start))]
}

const ofJson = (line: string): Result.Result<unknown, string> => {
  if (isTooDeep(line)) return Result.fail(`it has more than ${deepest} objects and lists within one another`)
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
    return Result.fail("a quoted cell of it does not end where it should")
  if (cells.length !== columns.length) {
    return Result.fail(`it has ${cells.length} cells, and the header ${columns.length}`)
  }
  return Result.succeed(
    ofCells(new Map(cells.flatMap((cell, at) => (cell === "" ? [] : [[columns[at] ?? "", withoutGuard(cell)]]))))
  )
}

/** An export prefixes a cell that a spreadsheet would run as a formula with an apostrophe. */
const withoutGuard = (cell: string): string =>
  /^\s*'[=+\-@\uff0b\uff0d\uff1d\uff20]/u.test(cell) ? cell.replace("'", "") : cell

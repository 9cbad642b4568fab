/** CSV that spreadsheets open without running a formula in it. */
import { csvCell } from "@threat-exposure/leak-check/report/Escape"
import { stringify } from "csv-stringify/sync"

export type CsvValue = string | undefined | ReadonlyArray<string>

/** Lines with their line break. A list is separated by spaces; a cell that a spreadsheet would run begins with an apostrophe. */
export const csvLines = (rows: ReadonlyArray<ReadonlyArray<CsvValue>>): string =>
  stringify(rows.map((row) => row.map((value) => csvCell(typeof value === "string" ? value : (value ?? []).join(" ")))))

/** CSV whose cells spreadsheets do not run as formulas. */
import { csvCell } from "@threat-exposure/leak-check/report/Escape"
import { stringify } from "csv-stringify/sync"

export type CsvValue = string | undefined | ReadonlyArray<string>

/**
 * CSV lines, each with its line break. Lists are joined with spaces; a cell that could be a formula gets an apostrophe
 * in front.
 */
export const csvLines = (rows: ReadonlyArray<ReadonlyArray<CsvValue>>): string =>
  stringify(rows.map((row) => row.map((value) => csvCell(typeof value === "string" ? value : (value ?? []).join(" ")))))

/** Detects the format of a file from its first bytes, never from its name. */
import * as Schema from "effect/Schema"
import { isSkippableFrame } from "./ZstdFrames.ts"

export type RecordFormat =
  /** One JSON value per line (https://github.com/ndjson/ndjson-spec). */
  | { readonly type: "lines" }
  /** JSON values that may span lines: the elements of one array, or a sequence of values. */
  | { readonly type: "array" }
  | { readonly type: "values" }
  /** RFC 4180, with a header. */
  | { readonly type: "csv"; readonly delimiter: string; readonly columns: ReadonlyArray<string> }

export type Compression = "gzip" | "zstd"

export class WrongFormat extends Schema.TaggedError<WrongFormat>()("WrongFormat", {
  file: Schema.String,
  found: Schema.String,
  accepted: Schema.String
}) {
  /** EX_DATAERR of sysexits.h. */
  readonly exitCode = 65
  override get message() {
    const file = this.file === "-" ? "Standard input" : this.file
    return `${file} seems to be ${this.found}. Accepted are ${this.accepted}.`
  }
}

export const decidingBytes = 65_536

export const compressionOf = (head: Buffer): Compression | undefined => {
  if (starts(head, "1f8b")) return "gzip"
  const isSkippable = head.length >= 4 && isSkippableFrame(head.readUInt32LE())
  return isSkippable || starts(head, "28b52ffd") ? "zstd" : undefined
}

/** The format, or what the content seems to be. `columns` are those that a CSV file needs; undefined refuses CSV. */
export const formatOf = (head: Buffer, columns: ReadonlyArray<string> | undefined): RecordFormat | string => {
  const known = signatures.find(([, bytes, at = 0]) => starts(head.subarray(at), bytes))
  if (known !== undefined) return known[0]
  const text = head
    .toString("utf8")
    .replace(/^\uFEFF/u, "")
    .trimStart()
  if (text === "") return { type: "lines" }
  if (text.startsWith("[")) return { type: "array" }
  if (text.startsWith("{")) return isOneALine(text) ? { type: "lines" } : { type: "values" }
  if (text.startsWith("<")) return "HTML or XML"
  const csv = csvFormatOf(text)
  if (csv !== undefined && columns !== undefined && columns.every((column) => csv.columns.includes(column))) return csv
  // A damaged first line does not change the format.
  if (/\n\s*\{"/u.test(text)) return { type: "lines" }
  if (csv === undefined) {
    if (head.includes(0)) return "binary data"
    return text.includes("\r") && !text.includes("\n") ? "text whose lines end with CR, not LF or CRLF" : "plain text"
  }
  return columns === undefined ? "CSV" : `CSV without a header that names ${columns.join(" and ")}`
}

/** Signatures and their offsets: https://en.wikipedia.org/wiki/List_of_file_signatures. */
const signatures: ReadonlyArray<readonly [name: string, bytes: string, at?: number]> = [
  ["a zip archive", "504b0304"],
  ["a bzip2 file", "425a68"],
  ["an lz4 file", "04224d18"],
  ["an lz4 file", "02214c18"],
  ["an xz file", "fd377a585a00"],
  ["a 7z archive", "377abcaf271c"],
  ["a rar archive", "526172211a07"],
  ["a tar archive", "7573746172", 257],
  ["a PDF document", "255044462d"],
  ["an SQLite database", "53514c69746520666f726d61742033"],
  ["a Parquet file", "50415231"],
  ["UTF-16 text", "fffe"],
  ["UTF-16 text", "feff"]
]

const starts = (bytes: Buffer, hex: string): boolean => bytes.toString("hex", 0, hex.length / 2) === hex

/** In pretty-printed JSON, the first line is not a complete value. */
const isOneALine = (text: string): boolean => {
  const [first = "", second] = text.split("\n")
  if (second === undefined || second.trim() === "" || second.startsWith("{")) return true
  try {
    JSON.parse(first)
    return true
  } catch {
    return false
  }
}

const csvFormatOf = (text: string): (RecordFormat & { readonly type: "csv" }) | undefined => {
  const [header = ""] = text.split(/\r?\n/u)
  for (const delimiter of [",", ";", "\t"]) {
    const columns = header.split(delimiter).map((column) => column.trim().replace(/^"(.*)"$/u, "$1"))
    if (columns.length > 1 && columns.every((column) => /^[\w.\- ]+$/u.test(column))) {
      return { type: "csv", delimiter, columns }
    }
  }
  return undefined
}

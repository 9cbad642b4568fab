/** The users of an organisation, from the CSV that its identity provider exports. */
import { decode } from "@threat-exposure/detect/text/Bytes"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { CsvError, parse } from "csv-parse"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { fileFailure } from "../output/FileFailure.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { AddressIndex } from "./AddressIndex.ts"

export interface DirectoryUser {
  readonly status: "active" | "gone" | "unknown"
  /** Milliseconds since 1970. */
  readonly passwordChangedAt: number | undefined
}

/** Users by e-mail address in lower case. */
export class Directory {
  readonly #addresses = new AddressIndex()
  readonly #statuses: Array<DirectoryUser["status"]> = []
  /** Milliseconds since 1970; NaN if unknown. */
  readonly #changed: Array<number> = []

  get(address: string): DirectoryUser | undefined {
    const row = this.#addresses.find(address)
    if (row === undefined) return undefined
    const changed = this.#changed[row] ?? Number.NaN
    return {
      status: this.#statuses[row] ?? "unknown",
      passwordChangedAt: Number.isNaN(changed) ? undefined : changed
    }
  }

  set(address: string, { passwordChangedAt, status }: DirectoryUser): void {
    const row = this.#addresses.add(address)
    this.#statuses[row] = status
    this.#changed[row] = passwordChangedAt ?? Number.NaN
  }

  get addresses(): Iterable<string> {
    return this.#addresses
  }
}

const fields = ["email", "status", "password_changed_at"] as const
type Field = (typeof fields)[number]

/** The column of each field: by default the field's name; `email=Mail,status=State` overrides it. */
export const directoryColumns = (
  given: ReadonlyArray<string>
): Effect.Effect<Readonly<Record<Field, string>>, UsageInvalid> =>
  Effect.reduce(
    given,
    () => ({ email: "email", status: "status", password_changed_at: "password_changed_at" }),
    (columns, assignment) => {
      const [name = "", column = ""] = assignment.split("=")
      const field = fields.find((field) => field === name)
      return field === undefined || column === ""
        ? Effect.fail(
            new UsageInvalid({
              message: `--directory-columns: a value is not FIELD=COLUMN with a field of ${fields.join(", ")}`
            })
          )
        : Effect.succeed({ ...columns, [field]: column })
    }
  )

/** Streams the rows: the whole text and all its cells may take more memory than everything else. */
export const readDirectory = Effect.fn("Directory.read")(function* (
  file: string,
  columns: Readonly<Record<Field, string>>
) {
  const files = yield* FileSystem.FileSystem
  const bytes = files
    .stream(file)
    .pipe(
      Stream.mapError(
        ({ reason }) => new UsageInvalid({ message: `--directory: ${file} cannot be read (${fileFailure(reason)})` })
      )
    )
  // The file may be a pipe, which can be read only once.
  const [start, rest] = yield* Stream.peel(bytes, Sink.head())
  const delimiter = delimiterOf(Option.match(start, { onNone: () => "", onSome: firstLine }), columns.email)
  const rows = Stream.concat(Stream.fromIterable(Option.toArray(start)), rest).pipe(
    NodeStream.pipeThroughDuplex<ReadonlyArray<string>, UsageInvalid>({
      evaluate: () => parse({ bom: true, delimiter, skip_empty_lines: true }),
      // The parser's message may quote a cell.
      onError: (cause) =>
        new UsageInvalid({
          message: `--directory: ${file} is not CSV${cause instanceof CsvError && "lines" in cause ? ` (line ${String(cause["lines"])})` : ""}`
        })
    })
  )
  const directory = new Directory()
  const [head, users] = yield* Stream.peel(rows, Sink.head())
  const positions = new Map(Option.getOrElse(head, () => []).map((name, position) => [nameOf(name), position] as const))
  const positionOf = (field: Field) => positions.get(nameOf(columns[field]))
  const email = positionOf("email")
  if (email === undefined) {
    return yield* new UsageInvalid({
      message: `--directory: the header of ${file} has no column ${columns.email} (columns are separated by commas, semicolons or tabs): name the right column with --directory-columns email=COLUMN`
    })
  }
  const status = positionOf("status")
  const changed = positionOf("password_changed_at")
  yield* Stream.runForEachArray(users, (some) =>
    Effect.sync(() => {
      for (const row of some) {
        directory.set((row[email] ?? "").trim().toLowerCase(), {
          status: statusOf(status === undefined ? "" : (row[status] ?? "")),
          passwordChangedAt: changed === undefined ? undefined : timeOf(row[changed] ?? "")
        })
      }
    })
  )
  return directory
}, Effect.scoped)

const firstLine = (bytes: Uint8Array): string => decode(bytes).split(/[\r\n]/u, 1)[0] ?? ""

/** The delimiter that separates the column in the header: it depends on the language of the spreadsheet. */
const delimiterOf = (header: string, column: string): string =>
  [",", ";", "\t"].find((delimiter) =>
    header.split(delimiter).some((name) => nameOf(name.replace(/^"(.*)"$/u, "$1")) === nameOf(column))
  ) ?? ","

/** Normalises a column name for comparison. */
const nameOf = (column: string): string => column.trim().toLowerCase()

const statusOf = (text: string): DirectoryUser["status"] => {
  const word = text.trim().toLowerCase()
  if (["active", "enabled", "true"].includes(word)) return "active"
  return ["gone", "disabled", "suspended", "deleted", "false"].includes(word) ? "gone" : "unknown"
}

const timeOf = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(toDateTime(text.trim()), DateTime.toEpochMillis))

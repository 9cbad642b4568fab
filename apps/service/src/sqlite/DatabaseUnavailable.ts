/** Failures of the database that a later attempt can get past, as opposed to defects of the program. */
import * as Schema from "effect/Schema"

/**
 * The database cannot do the work at present: another process holds the write lock, the disk is full, a thread died.
 * A write that fails with it was applied whole or not at all.
 */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database is unavailable: ${this.reason}`
  }
}

/** The same for an error of the driver. Undefined where another attempt cannot help. */
export const unavailabilityOf = (cause: unknown): DatabaseUnavailable | undefined => {
  if (cause instanceof DatabaseUnavailable) return cause
  const reason = temporary.get(resultCodeOf(cause) ?? 0)
  return reason === undefined ? undefined : new DatabaseUnavailable({ reason })
}

/** Another connection holds the lock. */
export const isBusy = (cause: unknown): boolean => resultCodeOf(cause) === 5

/** https://sqlite.org/rescode.html: the primary code is the low byte of the extended one. */
const resultCodeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

const temporary: ReadonlyMap<number, string> = new Map([
  [5, "another process is writing to it"],
  [6, "another statement holds a table of it"],
  [7, "memory ran out"],
  [8, "its file cannot be written"],
  [10, "reading or writing its file failed"],
  [13, "the disk is full"],
  [14, "its file cannot be opened"]
])

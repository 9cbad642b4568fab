import { ValueForeign } from "../../crypto/Vault.ts"
import { RecordForeign } from "../../requests/ForeignRecords.ts"
import { StoreRefusal, StoreUnavailable } from "../../requests/StoreUnavailable.ts"

/** Converts temporary errors, and values that this program did not write, to failures of the store. */
export const translate = (cause: unknown): unknown => {
  if (cause instanceof ValueForeign) return translate(new RecordForeign(cause.table, cause.id))
  if (cause instanceof StoreRefusal) return new StoreUnavailable({ reason: cause.reason })
  const reason = temporary.get(resultCodeOf(cause) ?? 0)
  return reason === undefined ? cause : new StoreUnavailable({ reason })
}

export const isBusy = (cause: unknown): boolean => resultCodeOf(cause) === 5

/** Whether a statement failed, in the driver or in a function that it calls. */
export const isOfDriver = (cause: unknown): boolean => resultCodeOf(cause) !== undefined

export const isOutOfRange = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_OUT_OF_RANGE"

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

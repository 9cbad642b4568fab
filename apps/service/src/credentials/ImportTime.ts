/** A credential's place in time: whole microseconds since 1970, so that listings are sorted by integers. */
import { toSortable } from "@threat-exposure/core/domain/Timestamp"

/** Undefined where the text is not ISO 8601. What is finer than a microsecond does not count for order. */
export const microsecondsOf = (timestamp: string): number | undefined => {
  // The form services write, read without the parts a general reader needs.
  const sortable = plainForm.test(timestamp) ? timestamp : toSortable(timestamp)
  if (!plainForm.test(sortable)) return undefined
  const seconds = Date.parse(`${sortable.slice(0, 19)}Z`)
  // The thirtieth of February is read as a day of March.
  if (new Date(seconds).getUTCDate() !== Number(sortable.slice(8, 10))) return undefined
  const decimals = sortable.slice(20).replace("Z", "")
  return seconds * 1_000 + Number(decimals.slice(0, 6).padEnd(6, "0"))
}

const plainForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/

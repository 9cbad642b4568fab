/** A credential's place in time: whole microseconds since 1970, so that listings are sorted by integers. */
import { toSortable } from "@threat-exposure/core/domain/Timestamp"

/** Undefined where the text is not ISO 8601. What is finer than a microsecond does not count for order. */
export const microsecondsOf = (timestamp: string): number | undefined => {
  // The form services write, read without the parts a general reader needs.
  const sortable = plainForm.test(timestamp) ? timestamp : toSortable(timestamp)
  const seconds = Date.parse(`${sortable.slice(0, 19)}Z`)
  if (Number.isNaN(seconds) || !sortableForm.test(sortable)) return undefined
  const decimals = sortable.slice(20).replace("Z", "")
  return seconds * 1_000 + Number(decimals.slice(0, 6).padEnd(6, "0"))
}

const plainForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/
const sortableForm = plainForm

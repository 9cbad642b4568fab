/** Time as it is stored: whole microseconds since 1970, so that listings are sorted by integers. */
import { toSortable } from "@threat-exposure/core/domain/Timestamp"

/**
 * Undefined where the text is not ISO 8601. What is finer than a microsecond does not count for order, and neither does
 * anything before 1684 or after 2255: those dates, which say that the time is not known as a rule, are one time each.
 */
export const microsecondsOf = (timestamp: string): number | undefined => {
  // The form services write, read without the parts a general reader needs.
  const sortable = plainForm.test(timestamp) ? timestamp : toSortable(timestamp)
  if (!plainForm.test(sortable)) return undefined
  const milliseconds = Date.parse(`${sortable.slice(0, 19)}Z`)
  // The thirtieth of February is read as a day of March.
  if (new Date(milliseconds).getUTCDate() !== Number(sortable.slice(8, 10))) return undefined
  const decimals = sortable.slice(20).replace("Z", "")
  const microseconds = milliseconds * 1_000 + Number(decimals.slice(0, 6).padEnd(6, "0"))
  return Math.max(-farthest, Math.min(farthest, microseconds))
}

/** A number is exact so far, with some seconds left to add to it. */
const farthest = 2 ** 53 - 2 ** 24

const plainForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/

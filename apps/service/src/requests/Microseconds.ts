/** Stored times: whole microseconds since 1970, so that listings sort by integers. */
import { toSortable } from "@threat-exposure/core/domain/Timestamp"

/**
 * Undefined if the text is not ISO 8601. Decimals beyond microseconds are dropped. A time before 1684 or after 2255, which
 * usually means an unknown time, becomes the first or the last time of that range.
 */
export const microsecondsOf = (timestamp: string): number | undefined => {
  // The common form is parsed directly, which is faster than the general parser.
  const sortable = plainForm.test(timestamp) ? timestamp : toSortable(timestamp)
  if (!plainForm.test(sortable)) return undefined
  const milliseconds = Date.parse(`${sortable.slice(0, 19)}Z`)
  // `Date.parse` reads the thirtieth of February as a day of March.
  if (new Date(milliseconds).getUTCDate() !== Number(sortable.slice(8, 10))) return undefined
  const decimals = sortable.slice(20).replace("Z", "")
  const microseconds = milliseconds * 1_000 + Number(decimals.slice(0, 6).padEnd(6, "0"))
  return Math.max(-farthest, Math.min(farthest, microseconds))
}

/** Up to here integers are exact, even after some seconds are added. */
const farthest = 2 ** 53 - 2 ** 24

const plainForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/

/** ISO 8601 in UTC, with microseconds. */
export const timestampOf = (microseconds: number): string => {
  const milliseconds = Math.floor(microseconds / 1_000)
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, "0")
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

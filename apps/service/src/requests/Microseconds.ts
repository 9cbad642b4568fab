/** Stored times are whole microseconds since 1970, so that listings sort by integers. */
import { toMicroseconds } from "@threat-exposure/core/domain/Timestamp"

/**
 * The microseconds of a timestamp; undefined if the text is not ISO 8601. A time before 1684 or after 2255, which
 * usually stands for an unknown time, becomes the first or last time of that range.
 */
export const microsecondsOf = (timestamp: string): number | undefined => {
  const microseconds = toMicroseconds(timestamp)
  return Number.isNaN(microseconds) ? undefined : Math.max(-maxMicroseconds, Math.min(maxMicroseconds, microseconds))
}

/** Integers up to this one are exact, even after adding some seconds. */
const maxMicroseconds = 2 ** 53 - 2 ** 24

/** The time in ISO 8601, in UTC with microseconds. */
export const timestampOf = (microseconds: number): string => {
  const milliseconds = Math.floor(microseconds / 1_000)
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, "0")
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

/** Stored times are whole microseconds since 1970, so that listings sort by integers. */
import { toMicroseconds } from "@threat-exposure/core/domain/Timestamp"

/** Times outside 1684 to 2255, which usually stand for an unknown time, become the first or last of that range. */
export const microsecondsOf = (timestamp: string): number | undefined => {
  const microseconds = toMicroseconds(timestamp)
  return Number.isNaN(microseconds) ? undefined : Math.max(-maxMicroseconds, Math.min(maxMicroseconds, microseconds))
}

/** Integers up to this one are exact, even after adding some seconds. */
const maxMicroseconds = 2 ** 53 - 2 ** 24

export const timestampOf = (microseconds: number): string => {
  const milliseconds = Math.floor(microseconds / 1_000)
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, "0")
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

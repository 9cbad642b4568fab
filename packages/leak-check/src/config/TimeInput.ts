/** Parses durations and points in time as people write them in a workflow. */
import { DateTime, Duration, Option } from "effect"

export const durationPattern = /^([1-9][0-9]{0,5})(s|m|h|d|w)$/u
export const instantPattern =
  /^(?:[1-9][0-9]{0,5}[smhdw]|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)$/u

const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Parses `90s`, `10m`, `2h`, `30d` or `4w`. Anything else, including zero, is undefined. */
export const durationOf = (text: string): Duration.Duration | undefined => {
  const [, count, unit] = durationPattern.exec(text) ?? []
  return unit === "s" || unit === "m" || unit === "h" || unit === "d" || unit === "w"
    ? Duration.seconds(Number(count) * seconds[unit])
    : undefined
}

/**
 * Parses a date, a date-time (UTC if it has no zone) or a duration before now. Undefined for a future or non-existing
 * date.
 */
export const instantOf = (text: string, now: DateTime.Utc): DateTime.Utc | undefined => {
  const span = durationOf(text)
  if (span !== undefined) return DateTime.subtractDuration(now, span)
  if (!instantPattern.test(text)) return undefined
  const isZoned = /(?:Z|[+-][0-9]{2}:[0-9]{2})$/u.test(text)
  const moment = DateTime.make(isZoned || !text.includes("T") ? text : `${text}Z`)
  const day = DateTime.make(`${text.slice(0, 10)}T00:00:00Z`)
  return Option.isSome(moment) &&
    Option.isSome(day) &&
    DateTime.formatIso(day.value).startsWith(text.slice(0, 10)) &&
    DateTime.isLessThanOrEqualTo(moment.value, now)
    ? DateTime.toUtc(moment.value)
    : undefined
}

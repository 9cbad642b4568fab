/**
 * ISO 8601 timestamps as text, to preserve microseconds. Timestamps are checked in requests, but not in responses. See
 * docs/api.md#timestamps.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)?)?$/u

/** A calendar date with a time of day; UTC if it has no zone. */
export const Timestamp = Schema.String.annotate({ format: "date-time" }).check(
  Schema.makeFilter((text: string) => hasTime(text) && isTimestamp(text), {
    expected: "an ISO 8601 date-time",
    representation: { id: "threat-exposure/Timestamp", payload: null }
  })
)
export type Timestamp = typeof Timestamp.Type

/** A {@link Timestamp}, or a date without a time, which means midnight UTC. */
export const DateOrTimestamp = Schema.String.annotate({ description: "An ISO 8601 date or date-time" }).check(
  Schema.makeFilter(isTimestamp, {
    expected: "an ISO 8601 date or date-time",
    representation: { id: "threat-exposure/DateOrTimestamp", payload: null }
  })
)
export type DateOrTimestamp = typeof DateOrTimestamp.Type

/** Parses a timestamp to milliseconds, for comparison and display; none if the text is not ISO 8601. */
export const toDateTime = (text: string): Option.Option<DateTime.Utc> => {
  const parts = partsOf(text)
  if (parts === undefined) return Option.none()
  const [, , , , hour = "00", minute = "00", second = "00", decimals = "0", zoneHour = "+00", zoneMinute = "00"] = parts
  const full = `${text.slice(0, 10)}T${hour}:${minute}:${second}.${decimals}${zoneHour}:${zoneMinute}`
  return Option.some(DateTime.makeUnsafe(Date.parse(full)))
}

/**
 * Converts a timestamp to UTC with nine decimals. Sorting these texts sorts by time, including microseconds. Text that
 * is not ISO 8601 is returned unchanged. If the zone moves a time out of the years 0 to 9999, the result is the first
 * or last second of that range.
 */
export const toSortable = (text: string): string => {
  const parts = partsOf(text)
  if (parts === undefined) return text
  const [, , , , hour = "00", minute = "00", second = "00", decimals = "", zoneHour] = parts
  const fraction = decimals.padEnd(9, "0")
  // Hot path: listings compare a time of every item, and one in UTC needs no calendar. `join` creates a flat string: a
  // concatenated one would keep all its parts, and take several times the memory.
  if (zoneHour === undefined)
    return [text.slice(0, 10), "T", hour, ":", minute, ":", second, ".", fraction, "Z"].join("")
  return Option.match(toDateTime(text), {
    onNone: () => text,
    onSome: (moment) => {
      const utc = DateTime.formatIso(moment)
      if (utc.startsWith("+")) return "9999-12-31T23:59:59.999999999Z"
      if (utc.startsWith("-")) return "0000-01-01T00:00:00.000000000Z"
      return `${utc.slice(0, 19)}.${fraction}Z`
    }
  })
}

/**
 * Converts a timestamp to UTC with as many decimals as needed. Text that is not ISO 8601 is handled as in {@link
 * toSortable}.
 */
export const toUtc = (text: string): string => withoutZeros(toSortable(text))

/**
 * Microseconds since 1970, exact for the years 1685 to 2255; NaN if the text is not ISO 8601. Outside the years 0 to
 * 9999, the result is the first or last second of that range.
 */
export const toMicroseconds = (text: string): number => {
  const parts = partsOf(text)
  if (parts === undefined) return Number.NaN
  const [, , , , hour = "00", minute = "00", second = "00", decimals = "", zoneHour] = parts
  const seconds =
    zoneHour === undefined
      ? Date.parse(`${text.slice(0, 10)}T${hour}:${minute}:${second}Z`) / 1000
      : Option.match(toDateTime(text), {
          onNone: () => Number.NaN,
          onSome: (moment) => Math.floor(DateTime.toEpochMillis(moment) / 1000)
        })
  const microseconds = seconds * 1_000_000 + Number(decimals.slice(0, 6).padEnd(6, "0"))
  return Math.min(Math.max(microseconds, minMicroseconds), maxMicroseconds)
}

const minMicroseconds = Date.parse("0000-01-01T00:00:00Z") * 1000
const maxMicroseconds = Date.parse("9999-12-31T23:59:59Z") * 1000

/** Formats a timestamp in UTC with as many decimals as needed; empty if the number is not finite. */
export const fromMicroseconds = (microseconds: number): string => {
  if (!Number.isFinite(microseconds)) return ""
  const seconds = Math.floor(microseconds / 1_000_000)
  const decimals = String(microseconds - seconds * 1_000_000).padStart(6, "0")
  const utc = DateTime.formatIso(DateTime.makeUnsafe(seconds * 1000))
  return withoutZeros(`${utc.slice(0, 19)}.${decimals}Z`)
}

const withoutZeros = (utc: string): string => utc.replace(/\.?0+Z$/u, "Z")

function hasTime(text: string): boolean {
  return text.length > 10
}

function isTimestamp(text: string): boolean {
  return partsOf(text) !== undefined
}

/** The captures of {@link shape}; undefined if the text is no timestamp, or its date or time does not exist. */
function partsOf(text: string): RegExpExecArray | undefined {
  const parts = shape.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = 0, minute = 0, second = 0, , zoneHour = 0, zoneMinute = 0] = parts
  const isTime =
    isDay(Number(year), Number(month), Number(day)) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Math.abs(Number(zoneHour)) < 24 &&
    Number(zoneMinute) < 60
  return isTime ? parts : undefined
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDay(year: number, month: number, day: number): boolean {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = daysOfMonths[month - 1]
  return days !== undefined && day >= 1 && day <= (month === 2 && isLeapYear ? 29 : days)
}

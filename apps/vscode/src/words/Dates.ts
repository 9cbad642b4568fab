/** Formats times and ages in the editor's language. */
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Option } from "effect"
import { currentLanguage, t } from "./Localisation.ts"

/** An age such as "3 hours ago", or "now" within a minute; the text itself if it is not a time. */
export const ageOf = (timestamp: string | null, now: number): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => {
      const seconds = (DateTime.toEpochMillis(moment) - now) / 1000
      const found = units.find(([, length]) => Math.abs(seconds) >= length)
      if (found === undefined) return formats().now
      const [unit, length] = found
      return formats().age.format(Math.trunc(seconds / length), unit)
    }
  })

/** A short age such as "3h" of a past time, for narrow columns; empty if the text is not a time. */
export const shortAge = (timestamp: string | null, now: number): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => "",
    onSome: (moment) => {
      const seconds = (now - DateTime.toEpochMillis(moment)) / 1000
      const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["second", 1]
      const age = Math.trunc(Math.max(0, seconds) / length)
      // In English and other languages, the narrow form of months is the same as that of minutes ("5m").
      return unit === "month" ? t("{0}mo", age) : formats().length(unit).format(age)
    }
  })

/** When the age changes, in milliseconds since 1970; infinite where it never does. */
export const nextChange = (timestamp: string | null, now: number): number =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => Number.POSITIVE_INFINITY,
    onSome: (moment) => {
      const past = now - DateTime.toEpochMillis(moment)
      const length = (units.find(([, length]) => past >= length * 1000)?.[1] ?? 1) * 1000
      return now + length - (past < 0 ? 0 : past % length)
    }
  })

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

/** A date and time; only a date if the timestamp has no time. */
export const localTime = (timestamp: string | null): string =>
  formatTimestamp(timestamp, isDay(timestamp) ? formats().givenDate : formats().moment)

/** Only the date. */
export const localDate = (timestamp: string | null): string =>
  formatTimestamp(timestamp, isDay(timestamp) ? formats().givenDate : formats().date)

const formatTimestamp = (timestamp: string | null, format: Intl.DateTimeFormat) =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => format.format(DateTime.toEpochMillis(moment))
  })

const isDay = (timestamp: string | null) => timestamp?.length === "2026-11-22".length

/** The time of day, with the date unless it is today. */
export const clockTime = (millis: number, now: number): string => {
  const { clock, moment } = formats()
  return new Date(millis).toDateString() === new Date(now).toDateString() ? clock.format(millis) : moment.format(millis)
}

/** A day such as "Nov 22" for 2026-11-22; a month with its year for 2026-11. */
export const dayLabel = (day: string) =>
  Option.match(toDateTime(day.length === 7 ? `${day}-01` : day), {
    onNone: () => day,
    onSome: (moment) => (day.length === 7 ? formats().month : formats().shortDay).format(DateTime.toEpochMillis(moment))
  })

/** A day such as "Sunday, November 22, 2026" for 2026-11-22. */
export const dayName = (day: string) =>
  Option.match(toDateTime(day), {
    onNone: () => day,
    onSome: (moment) => formats().day.format(DateTime.toEpochMillis(moment))
  })

/** Created once, because creating a format costs as much as a thousand uses. */
const makeFormats = (language: string) => ({
  language,
  length: lengthsIn(language),
  // Long form, because the short forms of month and minute are easily confused: "2mo" and "2m", "2 m." and "2 min".
  age: new Intl.RelativeTimeFormat(language, { numeric: "always" }),
  now: new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second"),
  moment: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium" }),
  /** In UTC, because a date without a time is the same day in every time zone. */
  givenDate: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }),
  clock: new Intl.DateTimeFormat(language, { timeStyle: "short" }),
  shortDay: new Intl.DateTimeFormat(language, { month: "short", day: "numeric", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" }),
  day: new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" })
})

const lengthsIn = (language: string) => {
  const made = new Map<string, Intl.NumberFormat>()
  return (unit: string) => {
    const format = made.get(unit) ?? new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow" })
    made.set(unit, format)
    return format
  }
}

let made: ReturnType<typeof makeFormats> | undefined

const formats = () => {
  if (made?.language !== currentLanguage()) made = makeFormats(currentLanguage())
  return made
}

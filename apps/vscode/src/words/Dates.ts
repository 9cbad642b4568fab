/** Times and ages in the editor's language. */
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Option } from "effect"
import { currentLanguage, t } from "./Localisation.ts"

/** "3 hours ago", in the editor's language; the text itself where it is no time. */
export const ageOf = (timestamp: string | null, now: number): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => {
      const seconds = (DateTime.toEpochMillis(moment) - now) / 1000
      const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
      return formats().age.format(Math.trunc(seconds / length), unit)
    }
  })

/** "3h", in the editor's language, of something past: for a narrow column. Empty where it is no time. */
export const shortAge = (timestamp: string | null, now: number): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => "",
    onSome: (moment) => {
      const seconds = (now - DateTime.toEpochMillis(moment)) / 1000
      const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["second", 1]
      const age = Math.trunc(Math.max(0, seconds) / length)
      // The narrow form of some languages, English too, is "5m" for months as for minutes.
      return unit === "month" ? t("{0}mo", age) : formats().length(unit).format(age)
    }
  })

/** When the first of the ages changes, in milliseconds since 1970; infinite where none does. */
export const nextChange = (timestamps: Iterable<string | null>, now: number): number => {
  let next = Number.POSITIVE_INFINITY
  for (const timestamp of timestamps) {
    const moment = Option.getOrUndefined(toDateTime(timestamp ?? ""))
    if (moment === undefined) continue
    const past = now - DateTime.toEpochMillis(moment)
    const length = (units.find(([, length]) => past >= length * 1000)?.[1] ?? 1) * 1000
    next = Math.min(next, now + length - (past < 0 ? 0 : past % length))
  }
  return next
}

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

/** A date without a time stays without one. */
export const localTime = (timestamp: string | null): string =>
  formatTimestamp(timestamp, isDay(timestamp) ? formats().givenDate : formats().moment)

/** The day alone. */
export const localDate = (timestamp: string | null): string =>
  formatTimestamp(timestamp, isDay(timestamp) ? formats().givenDate : formats().date)

const formatTimestamp = (timestamp: string | null, format: Intl.DateTimeFormat) =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => format.format(DateTime.toEpochMillis(moment))
  })

const isDay = (timestamp: string | null) => timestamp?.length === "2026-11-22".length

/** The time of day, with the date where that is another than now's. */
export const clockTime = (millis: number, now: number): string => {
  const { clock, moment } = formats()
  return new Date(millis).toDateString() === new Date(now).toDateString() ? clock.format(millis) : moment.format(millis)
}

/** "Nov 22", of a date such as 2026-11-22; with the year of a month such as 2026-11. */
export const dayLabel = (day: string) =>
  Option.match(toDateTime(day.length === 7 ? `${day}-01` : day), {
    onNone: () => day,
    onSome: (moment) => (day.length === 7 ? formats().month : formats().shortDay).format(DateTime.toEpochMillis(moment))
  })

/** "Sunday, November 22, 2026", of a date such as 2026-11-22. */
export const dayName = (day: string) =>
  Option.match(toDateTime(day), {
    onNone: () => day,
    onSome: (moment) => formats().day.format(DateTime.toEpochMillis(moment))
  })

/** A format costs as much to make as a thousand uses of it. */
const makeFormats = (language: string) => ({
  language,
  length: lengthsIn(language),
  // In full: the short forms of a month and of a minute are hard to tell apart, "2mo" and "2m", "2 m." and "2 min".
  age: new Intl.RelativeTimeFormat(language, { numeric: "always" }),
  moment: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium" }),
  /** A date without a time is the same day in every time zone. */
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

/** Parses the bounds of a date range as typed by a person: a date or a time; empty means no limit. */
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import { Option } from "effect"
import { t } from "../../words/Localisation.ts"

export const startPrompt = () => t("From (for example 2026-01-31; leave empty for no limit)")
export const endPrompt = () => t("To (for example 2026-01-31; leave empty for no limit)")

/** A date without a time means its first moment. */
export const startOf = (text: string) => timeOf(text, "00:00:00Z")

/** A date without a time means its last moment. */
export const endOf = (text: string) => timeOf(text, "23:59:59.999999Z")

export const faultOfStart = (text: string) => faultOf(startOf(text))

export const faultOfEnd = (text: string, start: string): string | undefined => {
  const [first, last] = [startOf(start), endOf(text)]
  const isBefore = first !== undefined && last !== undefined && toSortable(last) < toSortable(first)
  return faultOf(last) ?? (isBefore ? t("This is before the first date") : undefined)
}

const timeOf = (text: string, timeOfDay: string): string | undefined => {
  const typed = text.trim()
  return typed === "" ? undefined : typed.length === 10 ? `${typed}T${timeOfDay}` : typed
}

const faultOf = (time: string | undefined) =>
  time === undefined || Option.isSome(toDateTime(time)) ? undefined : t("This is not a date: write it as 2026-01-31")

import { type ReportedSeverity, severities } from "@threat-exposure/core/domain/Severity"
import type { Icon } from "../../editor/tree/Row.ts"
import { dayName } from "../../words/Dates.ts"
import { capitalized, t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { type AnyEvent, severityOf, sourceOf, timeOf } from "../AnyEvent.ts"
import { severityIcon } from "./EventRow.ts"

export const groupings = ["none", "severity", "type", "day", "source"] as const
export type Grouping = (typeof groupings)[number]

export interface EventGroup {
  readonly key: string
  readonly label: string
  readonly icon: Icon
  readonly events: ReadonlyArray<AnyEvent>
}

/** Groups in order of importance: the highest severity, the latest day, or the largest type or source first. */
export const groupEvents = (
  events: ReadonlyArray<AnyEvent>,
  by: Exclude<Grouping, "none">
): ReadonlyArray<EventGroup> => {
  const groups = Map.groupBy(events, (event) => keyOf(event, by))
  const made = [...groups].map(([key, members]): EventGroup => {
    const { label, icon } = face(key, by)
    return { key, label, icon, events: members }
  })
  if (by === "severity") return made.toSorted((a, b) => severityRank(b.key) - severityRank(a.key))
  if (by === "day") return made.toSorted((a, b) => (a.key < b.key ? 1 : -1))
  return made.toSorted((a, b) => b.events.length - a.events.length || (a.key < b.key ? -1 : 1))
}

const keyOf = (event: AnyEvent, by: Exclude<Grouping, "none">): string => {
  switch (by) {
    case "severity":
      return severityOf(event)
    case "type":
      return event.metadata.type
    case "day":
      return timeOf(event).slice(0, 10)
    case "source":
      return sourceOf(event)
  }
}

const face = (key: string, by: Exclude<Grouping, "none">): { readonly label: string; readonly icon: Icon } => {
  switch (by) {
    case "severity":
      return { label: capitalized(t(key)), icon: severityIcon(key) }
    case "type":
      return { label: capitalized(nameOfType(key)), icon: { id: "symbol-class" } }
    case "day":
      return { label: dayName(key), icon: { id: "calendar" } }
    case "source":
      return { label: key, icon: { id: "globe" } }
  }
}

/** Several events of one leak on one day. */
export interface LeakOfDay {
  /** Unique within a view. */
  readonly key: string
  readonly source: string
  readonly events: ReadonlyArray<AnyEvent>
}

/** Keeps the order of events; those of one leak and day become a single entry at the position of the first. */
export const withLeaksOfDay = (events: ReadonlyArray<AnyEvent>): ReadonlyArray<AnyEvent | LeakOfDay> => {
  const leaks = Map.groupBy(events.filter(isOfLeak), leakKey)
  return events.flatMap((event): ReadonlyArray<AnyEvent | LeakOfDay> => {
    const key = leakKey(event)
    const members = isOfLeak(event) ? (leaks.get(key) ?? []) : []
    if (members.length < 2) return [event]
    return members[0] === event ? [{ key, source: sourceOf(event), events: members }] : []
  })
}

const isOfLeak = ({ metadata }: AnyEvent) => leakTypes.has(metadata.type)
const leakTypes: ReadonlySet<string> = new Set(["leak", "leaked_credential", "stealer_log"])
const leakKey = (event: AnyEvent) => `${sourceOf(event)}/${timeOf(event).slice(0, 10)}`

/** The highest severity of the events. */
export const worstSeverity = (events: ReadonlyArray<AnyEvent>): ReportedSeverity =>
  events.map(severityOf).reduce((worst, each) => (severityRank(each) > severityRank(worst) ? each : worst))

const severityRank = (severity: string) => {
  const rank = severities.findIndex((known) => known === severity)
  return rank === -1 ? severities.length : rank
}

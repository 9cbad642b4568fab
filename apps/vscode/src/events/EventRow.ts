/** How an event reads in one row. */
import type { Event, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import { type ReportedSeverity, severities } from "@threat-exposure/core/domain/Severity"
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Option } from "effect"
import { currentLanguage, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { namesSecret } from "../editor/Secrets.ts"
import type { Icon, Row } from "../editor/Row.ts"
import { nameOfType } from "./EventFilter.ts"
import { type HighlightedText, plain, parseHighlights, truncate } from "./HighlightedText.ts"

export type AnyEvent = Event | IdentifierEvent

const icons: Readonly<Record<string, Icon>> = {
  critical: { id: "flame", color: "problemsErrorIcon.foreground" },
  high: { id: "error", color: "problemsErrorIcon.foreground" },
  medium: { id: "warning", color: "problemsWarningIcon.foreground" },
  low: { id: "info", color: "problemsInfoIcon.foreground" },
  info: { id: "circle-outline" }
}

export const severityIcon = (severity: ReportedSeverity): Icon => icons[severity] ?? { id: "question" }

/** The tenant's own severity where it has set one. */
export const severityOf = ({ metadata, tenant_metadata }: AnyEvent): ReportedSeverity =>
  tenant_metadata.severity?.override ?? metadata.severity

/** Sorts as time does. */
export const timeOf = (event: AnyEvent): string => {
  const known = times.get(event)
  if (known !== undefined) return known
  const time = toSortable(event.metadata.estimated_created_at ?? "")
  times.set(event, time)
  return time
}

/** Read once for each event: thousands are compared again and again. */
const times = new WeakMap<AnyEvent, string>()

const titleLength = 100

/** The title, or the first passage that matched, or the end of the uid. */
export const titleOf = ({ metadata, highlights }: AnyEvent): HighlightedText => {
  const marked = Object.entries(highlights)
    .filter(([field]) => !namesSecret(field))
    .toSorted(([a], [b]) => rank(a) - rank(b))
  const [first] = marked.flatMap(([, passages]) => passages)
  const title = metadata.title
  const highlightedTitle = highlights["title"]?.[0]
  if (highlightedTitle !== undefined) return truncate(parseHighlights(highlightedTitle), titleLength)
  if (title !== undefined && title.trim() !== "") return truncate(plain(title), titleLength)
  if (first !== undefined) return truncate(parseHighlights(first), titleLength)
  return truncate(plain(metadata.uid.split("/").slice(1).join("/") || metadata.uid), titleLength)
}

const fields = ["title", "name", "description", "content"]
const rank = (field: string) => (fields.includes(field) ? fields.indexOf(field) : fields.length)

export const eventRow = (
  event: AnyEvent,
  options: { readonly id: string; readonly now: number; readonly masked: boolean; readonly isNew: boolean }
): Row => {
  const { metadata, tenant_metadata } = event
  const severity = severityOf(event)
  const title = titleOf(event)
  const shown = options.masked ? plain(maskText(title.text)) : title
  const age = ageOf(metadata.estimated_created_at, options.now)
  const state =
    tenant_metadata.remediated_at !== undefined
      ? t("remediated")
      : tenant_metadata.ignored_at !== undefined
        ? t("ignored")
        : undefined
  const parts = [options.isNew ? t("new") : undefined, nameOfType(metadata.type), age, state]
  return {
    id: options.id,
    label: shown.text,
    highlights: shown.ranges,
    description: parts.filter((part) => part !== undefined && part !== "").join(" · "),
    tooltip: () =>
      [
        shown.text,
        `${t(severity)} · ${nameOfType(metadata.type)}`,
        ...(metadata.estimated_created_at === null ? [] : [t("Seen {0}", localTime(metadata.estimated_created_at))]),
        ...("identifiers" in event && event.identifiers.length > 0 && !options.masked
          ? [t("Identifiers: {0}", event.identifiers.map(({ name }) => name).join(", "))]
          : []),
        ...(tenant_metadata.tags.length > 0 ? [t("Tags: {0}", tenant_metadata.tags.join(", "))] : []),
        metadata.uid
      ].join("\n"),
    icon: severityIcon(severity),
    state: "leaf",
    kinds: ["event", "copyable", ...(webAddress(metadata.svc_url) === undefined ? [] : ["linked"])],
    command: { name: "events.openPage", title: t("Open Event"), args: [metadata.uid] },
    accessibleLabel: [
      t(severity),
      options.isNew ? t("new") : undefined,
      nameOfType(metadata.type),
      shown.text,
      age,
      state
    ]
      .filter((part) => part !== undefined && part !== "")
      .join(", ")
  }
}

/** The link, where it is one that a browser may be sent to. */
export const webAddress = (link: string | undefined): string | undefined =>
  link !== undefined && /^https?:\/\//u.test(link) ? link : undefined

/** "3 hr. ago", in the editor's language; the text itself where it is no time. */
export const ageOf = (timestamp: string | null, now: number): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => {
      const seconds = (DateTime.toEpochMillis(moment) - now) / 1000
      const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
      return formats().age.format(Math.trunc(seconds / length), unit)
    }
  })

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

export const localTime = (timestamp: string | null): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => formats().moment.format(DateTime.toEpochMillis(moment))
  })

/** The day alone. */
export const localDate = (timestamp: string | null): string =>
  Option.match(toDateTime(timestamp ?? ""), {
    onNone: () => timestamp ?? "",
    onSome: (moment) => formats().date.format(DateTime.toEpochMillis(moment))
  })

/** The time of day, with the date where that is another than now's. */
export const clockTime = (millis: number, now: number): string => {
  const { clock, moment } = formats()
  return new Date(millis).toDateString() === new Date(now).toDateString() ? clock.format(millis) : moment.format(millis)
}

export const groupings = ["none", "severity", "type", "day", "source"] as const
export type Grouping = (typeof groupings)[number]

export interface EventGroup {
  readonly key: string
  readonly label: string
  readonly icon: Icon
  readonly events: ReadonlyArray<AnyEvent>
}

/** In the order a reader wants: the most severe first, the latest day first, the largest type or source first. */
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
      return event.metadata.uid.split("/")[1] ?? event.metadata.uid
  }
}

const face = (key: string, by: Exclude<Grouping, "none">): { readonly label: string; readonly icon: Icon } => {
  switch (by) {
    case "severity":
      return { label: t(key), icon: severityIcon(key) }
    case "type":
      return { label: nameOfType(key), icon: { id: "symbol-class" } }
    case "day":
      return { label: dayName(key), icon: { id: "calendar" } }
    case "source":
      return { label: key, icon: { id: "globe" } }
  }
}

const dayName = (day: string) =>
  Option.match(toDateTime(day), {
    onNone: () => day,
    onSome: (moment) => formats().day.format(DateTime.toEpochMillis(moment))
  })

const severityRank = (severity: string) => {
  const rank = severities.findIndex((known) => known === severity)
  return rank === -1 ? severities.length : rank
}

/** A format costs as much to make as a thousand uses of it. */
const makeFormats = (language: string) => ({
  language,
  // The narrow form of many languages is a mere "-3 h".
  age: new Intl.RelativeTimeFormat(language, {
    style: language.startsWith("en") ? "narrow" : "short",
    numeric: "always"
  }),
  moment: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium" }),
  clock: new Intl.DateTimeFormat(language, { timeStyle: "short" }),
  day: new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" })
})

let made: ReturnType<typeof makeFormats> | undefined

const formats = () => {
  if (made?.language !== currentLanguage()) made = makeFormats(currentLanguage())
  return made
}

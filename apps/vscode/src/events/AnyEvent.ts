/** An event as returned by a search, and values derived from it. */
import type { Event, EventStatus, Highlights, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import { toSortable } from "@threat-exposure/core/domain/Timestamp"
import { masked as maskedSecret, namesSecret } from "../editor/page/Secrets.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { type HighlightedText, parseHighlights, plain, truncate } from "./page/HighlightedText.ts"

export type AnyEvent = Kept<Event> | Kept<IdentifierEvent>

/** Highlights may be stored as JSON text, which takes half of the memory. */
type Kept<E extends Event> = Omit<E, "highlights"> & { readonly highlights: Highlights | string }

export const highlightsOf = ({ highlights }: Pick<AnyEvent, "highlights">): Highlights =>
  typeof highlights === "string" ? JSON.parse(highlights) : highlights

/** The severity that the tenant set, or else the event's own. */
export const severityOf = ({ metadata, tenant_metadata }: AnyEvent): ReportedSeverity =>
  tenant_metadata.severity?.override ?? metadata.severity

/** Like the service, treats an event that is both ignored and remediated as remediated. */
export const stateOf = ({ tenant_metadata: { ignored_at, remediated_at } }: AnyEvent): EventStatus =>
  remediated_at !== undefined ? "remediated" : ignored_at !== undefined ? "ignored" : "open"

/** The source, which is the second segment of the uid. */
export const sourceOf = ({ metadata: { uid } }: AnyEvent): string => sourceOfUid(uid)

export const sourceOfUid = (uid: string): string => uid.split("/")[1] ?? uid

/** Whether the event comes from a search of the tenant's or of one identifier's events. */
export const isOfTenant = (event: AnyEvent): event is Kept<IdentifierEvent> => "identifiers" in event

/** Empty for events of a global search, which does not return identifiers. */
export const identifiersOf = (event: AnyEvent): IdentifierEvent["identifiers"] =>
  isOfTenant(event) ? event.identifiers : []

/** Merges two results for the same event: the first one, with the identifiers of both. */
export const mergeEvents = (a: AnyEvent, b: AnyEvent): AnyEvent => {
  const known = identifiersOf(a)
  const others = identifiersOf(b).filter(({ id }) => !known.some((each) => each.id === id))
  return others.length === 0 ? a : { ...a, identifiers: [...known, ...others] }
}

/** A string that sorts by time; empty if the event has no time. */
export const timeOf = (event: AnyEvent): string => {
  const known = times.get(event)
  if (known !== undefined) return known
  const time = toSortable(event.metadata.estimated_created_at ?? "")
  times.set(event, time)
  return time
}

/** Cached per event, because thousands of events are compared repeatedly. */
const times = new WeakMap<AnyEvent, string>()

const titleLength = 100

/** The title, or else the first matched passage, or else the type and the source. Names are masked if masking is on. */
export const titleOf = (event: AnyEvent, masked = false): HighlightedText => {
  const given = givenTitleOf(event)
  if (given !== undefined) return masked ? plain(maskText(given.text)) : given
  const source = sourceOf(event)
  const parts = [nameOfType(event.metadata.type), masked ? maskText(source) : source].filter((part) => part !== "")
  return truncate(plain(parts.length === 0 ? t("Event") : parts.join(" · ")), titleLength)
}

/** The title, or else the first matched passage; undefined if the service gives neither. */
export const givenTitleOf = (event: AnyEvent): HighlightedText | undefined => {
  const { title } = event.metadata
  const highlights = highlightsOf(event)
  const highlightedTitle = highlights["title"]?.[0]
  if (highlightedTitle !== undefined) return truncate(parseHighlights(highlightedTitle), titleLength)
  if (title !== undefined && title.trim() !== "") return truncate(plain(title), titleLength)
  const [first] = Object.entries(highlights)
    .filter(([field]) => !namesSecret(field))
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .flatMap(([, passages]) => passages)
  return first === undefined ? undefined : truncate(parseHighlights(first), titleLength)
}

const fields = ["title", "name", "description", "content"]
const rank = (field: string) => (fields.includes(field) ? fields.indexOf(field) : fields.length)

/** The link if it is a web address; otherwise undefined. */
export const webAddress = (link: string | undefined): string | undefined =>
  link !== undefined && /^https?:\/\//u.test(link) ? link : undefined

/** The event with masked matches in secret fields, for copies and files: some services highlight a matched password. */
export const withoutMatchedSecrets = (event: AnyEvent): AnyEvent => ({
  ...event,
  highlights: Object.fromEntries(
    Object.entries(highlightsOf(event)).map(([field, passages]) => [
      field,
      namesSecret(field) ? passages.map(() => maskedSecret) : passages
    ])
  )
})

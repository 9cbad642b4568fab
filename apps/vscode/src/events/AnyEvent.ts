/** An event as a search returned it, and values derived from it. */
import type { Event, EventStatus, Highlights, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import { toSortable } from "@threat-exposure/core/domain/Timestamp"
import { masked, namesSecret } from "../editor/page/Secrets.ts"
import { type HighlightedText, parseHighlights, plain, truncate } from "./page/HighlightedText.ts"

export type AnyEvent = Kept<Event> | Kept<IdentifierEvent>

/** The highlights may be the text of their JSON, which takes half of the memory. */
type Kept<E extends Event> = Omit<E, "highlights"> & { readonly highlights: Highlights | string }

export const highlightsOf = ({ highlights }: Pick<AnyEvent, "highlights">): Highlights =>
  typeof highlights === "string" ? JSON.parse(highlights) : highlights

/** The tenant's own severity where it has set one. */
export const severityOf = ({ metadata, tenant_metadata }: AnyEvent): ReportedSeverity =>
  tenant_metadata.severity?.override ?? metadata.severity

/** As the service counts: an event that is both ignored and remediated is remediated. */
export const stateOf = ({ tenant_metadata: { ignored_at, remediated_at } }: AnyEvent): EventStatus =>
  remediated_at !== undefined ? "remediated" : ignored_at !== undefined ? "ignored" : "open"

/** The source, which a uid names after its index. */
export const sourceOf = ({ metadata: { uid } }: AnyEvent): string => sourceOfUid(uid)

export const sourceOfUid = (uid: string): string => uid.split("/")[1] ?? uid

/** A search of the tenant's events, or of one identifier's, returned it. */
export const isOfTenant = (event: AnyEvent): event is Kept<IdentifierEvent> => "identifiers" in event

/** Empty for events of a global search, which does not return identifiers. */
export const identifiersOf = (event: AnyEvent): IdentifierEvent["identifiers"] =>
  isOfTenant(event) ? event.identifiers : []

/** Merges an event that two searches returned: the first one, with the identifiers of both. */
export const joined = (a: AnyEvent, b: AnyEvent): AnyEvent => {
  const known = identifiersOf(a)
  const others = identifiersOf(b).filter(({ id }) => !known.some((each) => each.id === id))
  return others.length === 0 ? a : { ...a, identifiers: [...known, ...others] }
}

/** A string that sorts by time. */
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
export const titleOf = (event: AnyEvent): HighlightedText => {
  const { uid } = event.metadata
  return givenTitleOf(event) ?? truncate(plain(uid.split("/").slice(1).join("/") || uid), titleLength)
}

/** The title, or the first passage that matched; undefined where the service gives neither. */
export const givenTitleOf = (event: AnyEvent): HighlightedText | undefined => {
  const { metadata } = event
  const highlights = highlightsOf(event)
  const marked = Object.entries(highlights)
    .filter(([field]) => !namesSecret(field))
    .toSorted(([a], [b]) => rank(a) - rank(b))
  const [first] = marked.flatMap(([, passages]) => passages)
  const title = metadata.title
  const highlightedTitle = highlights["title"]?.[0]
  if (highlightedTitle !== undefined) return truncate(parseHighlights(highlightedTitle), titleLength)
  if (title !== undefined && title.trim() !== "") return truncate(plain(title), titleLength)
  return first === undefined ? undefined : truncate(parseHighlights(first), titleLength)
}

const fields = ["title", "name", "description", "content"]
const rank = (field: string) => (fields.includes(field) ? fields.indexOf(field) : fields.length)

/** The link, if it is a web address. */
export const webAddress = (link: string | undefined): string | undefined =>
  link !== undefined && /^https?:\/\//u.test(link) ? link : undefined

/** The event with matched secrets masked, for copies and files: some services highlight a matched password. */
export const withoutMatchedSecrets = (event: AnyEvent): AnyEvent => ({
  ...event,
  highlights: Object.fromEntries(
    Object.entries(highlightsOf(event)).map(([field, passages]) => [
      field,
      namesSecret(field) ? passages.map(() => masked) : passages
    ])
  )
})

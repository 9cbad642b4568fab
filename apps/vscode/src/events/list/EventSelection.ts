/** Selects loaded events: those behind a number or a bar of a summary. */
import { toSortable } from "@threat-exposure/core/domain/Timestamp"
import { Clock, Effect, Schema } from "effect"
import type { Listed } from "../../listing/Listing.ts"
import { dayLabel, localTime } from "../../words/Dates.ts"
import { nameOfIdentifier } from "../../register/RegisterEntries.ts"
import { t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { type AnyEvent, identifiersOf, isOfTenant, severityOf, sourceOf, timeOf } from "../AnyEvent.ts"
import type { EventCache } from "../EventCache.ts"
import type { EventListing } from "./EventListings.ts"

/** All given fields must match. */
export const EventSelection = Schema.Struct({
  severities: Schema.optionalKey(Schema.Array(Schema.String)),
  type: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String),
  identifier: Schema.optionalKey(Schema.Struct({ id: Schema.Int, name: Schema.String })),
  /** Range of days in UTC, such as 2026-11-22; `before` is the day after the last one. */
  from: Schema.optionalKey(Schema.String),
  before: Schema.optionalKey(Schema.String),
  /** Lower bound of {@link arrivalOf}, ISO 8601. */
  arrivedAfter: Schema.optionalKey(Schema.String),
  /** Whether to include only events from searches of the tenant's or of one identifier's events. */
  isOfTenant: Schema.optionalKey(Schema.Literal(true))
})
export interface EventSelection extends Schema.Schema.Type<typeof EventSelection> {}

/** When the event became known to the tenant: when it was matched or, if unknown, when it was seen. */
export const arrivalOf = (event: AnyEvent): string =>
  event.metadata.matched_at === null ? timeOf(event) : toSortable(event.metadata.matched_at)

export const isSelected = (event: AnyEvent, selection: EventSelection): boolean => {
  const { severities, type, source, identifier, from, before, arrivedAfter } = selection
  return (
    (selection.isOfTenant === undefined || isOfTenant(event)) &&
    (severities === undefined || severities.includes(severityOf(event))) &&
    (type === undefined || event.metadata.type === type) &&
    (source === undefined || sourceOf(event) === source) &&
    (identifier === undefined || identifiersOf(event).some(({ id }) => id === identifier.id)) &&
    (from === undefined || timeOf(event) >= from) &&
    (before === undefined || timeOf(event) < before) &&
    (arrivedAfter === undefined || arrivalOf(event) > toSortable(arrivedAfter))
  )
}

/** A short description. `hide` masks names if masking is on. */
export const describeSelection = (selection: EventSelection, hide: (name: string) => string): string => {
  const { severities, type, source, identifier, from, before, arrivedAfter } = selection
  const parts = [
    severities === undefined ? [] : [severities.map((each) => t(each)).join(", ")],
    type === undefined ? [] : [nameOfType(type)],
    source === undefined ? [] : [hide(source)],
    identifier === undefined ? [] : [hide(nameOfIdentifier(identifier))],
    from === undefined || before === undefined ? [] : [spanLabel(from, before)],
    arrivedAfter === undefined ? [] : [t("new since {0}", localTime(arrivedAfter))]
  ].flat()
  return parts.length === 0 ? t("All loaded events") : parts.join(" · ")
}

/** Names whole months; describes any other range by its first and last day. */
const spanLabel = (from: string, before: string) => {
  const isOfMonths = from.endsWith("-01") && before.endsWith("-01")
  const [first, last] = [from, dayBefore(before)].map((day) => dayLabel(isOfMonths ? day.slice(0, 7) : day))
  return first === last ? first : `${first} – ${last}`
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

/** The selected events in the cache, newest first. Sends no request. */
export const listingOfSelection = (
  cache: EventCache["Service"],
  selection: EventSelection
): Effect.Effect<EventListing> =>
  Effect.map(Clock.currentTimeMillis, (asOf): EventListing => {
    const now = (): Listed<AnyEvent> => ({
      items: [...cache.all()]
        .filter((event) => isSelected(event, selection))
        .toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0)),
      hasMore: false,
      asOf
    })
    const listed = Effect.sync(now)
    return { now, first: listed, more: listed, refresh: listed }
  })

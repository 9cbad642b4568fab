/** Counts the loaded events for the overview: by day, severity, identifier, type and source. */
import { Schema } from "effect"
import { isAtLeast, severities } from "@threat-exposure/core/domain/Severity"
import { type AnyEvent, identifiersOf, severityOf, sourceOf, timeOf } from "../events/AnyEvent.ts"
import { EventSelection, isSelected } from "../events/list/EventSelection.ts"
import { OverviewFilter } from "./OverviewFilter.ts"

/** The number of events in a group, and the selection of exactly these events. */
const Tally = Schema.Struct({
  key: Schema.String,
  selection: EventSelection,
  total: Schema.Finite,
  /** Counts by severity, highest first; severities without events are omitted. */
  parts: Schema.Array(Schema.Struct({ severity: Schema.String, count: Schema.Finite }))
})
export interface Tally extends Schema.Schema.Type<typeof Tally> {}

const Tallies = Schema.Array(Tally)

/** Contains no text from a leak, because it is stored across restarts. */
export const Overview = Schema.Struct({
  filter: OverviewFilter,
  /** Number of events of any time and severity. */
  loaded: Schema.Finite,
  /** Whether events of the period are missing, so that the counts are lower bounds. */
  isPartial: Schema.Boolean,
  /** Events in the period and severities of the filter, like all members below. */
  all: Tally,
  bySeverity: Tallies,
  /** One tally per day or month, oldest first, including empty ones. */
  byTime: Tallies,
  /** Tallies by size, largest first. */
  byIdentifier: Tallies,
  byType: Tallies,
  bySource: Tallies,
  /** Events that arrived after the last visit, of any time and severity; absent on the first visit. */
  fresh: Schema.optionalKey(Tally)
})
export interface Overview extends Schema.Schema.Type<typeof Overview> {}

export const overviewOf = (
  events: Iterable<AnyEvent>,
  {
    filter,
    isOfTenant,
    isPartial,
    now,
    since
  }: {
    readonly filter: OverviewFilter
    /** Whether only the tenant's events are counted. */
    readonly isOfTenant: boolean
    readonly isPartial: boolean
    /** Milliseconds since 1970. */
    readonly now: number
    /** End of the last visit, ISO 8601. */
    readonly since: string | undefined
  }
): Overview => {
  const columns = columnsOf(filter.period, now)
  const ofTenant: EventSelection = isOfTenant ? { isOfTenant } : {}
  const period: EventSelection = { ...ofTenant, ...spanOf(columns) }
  const base: EventSelection =
    filter.severity === "info"
      ? period
      : { ...period, severities: severities.filter((severity) => isAtLeast(severity, filter.severity)) }
  const isFresh: EventSelection | undefined = since === undefined ? undefined : { ...ofTenant, arrivedAfter: since }

  const all = new Counter()
  const bySeverity = new Counters()
  const byTime = new Counters()
  const byIdentifier = new Counters()
  const byType = new Counters()
  const bySource = new Counters()
  const fresh = new Counter()
  const identifiers = new Map<string, NonNullable<EventSelection["identifier"]>>()
  const keyLength = columns[0]?.key.length ?? 0
  let loaded = 0
  for (const event of events) {
    loaded++
    const severity = severityOf(event)
    if (isFresh !== undefined && isSelected(event, isFresh)) fresh.add(severity)
    if (!isSelected(event, base)) continue
    all.add(severity)
    bySeverity.add(severity, severity)
    byTime.add(timeOf(event).slice(0, keyLength), severity)
    byType.add(event.metadata.type, severity)
    bySource.add(sourceOf(event), severity)
    for (const identifier of identifiersOf(event)) {
      const key = String(identifier.id)
      identifiers.set(key, { id: identifier.id, name: identifier.name })
      byIdentifier.add(key, severity)
    }
  }

  return {
    filter,
    loaded,
    isPartial,
    all: all.tally("all", base),
    bySeverity: bySeverity
      .tallies((severity) => ({ ...base, severities: [severity] }))
      .toSorted((a, b) => rankOf(a.key) - rankOf(b.key)),
    byTime: columns.map(({ key, from, before }) => byTime.of(key).tally(key, { ...base, from, before })),
    byIdentifier: largestFirst(
      byIdentifier.tallies((key) => {
        const identifier = identifiers.get(key)
        return identifier === undefined ? base : { ...base, identifier }
      })
    ),
    byType: largestFirst(byType.tallies((type) => ({ ...base, type }))),
    bySource: largestFirst(bySource.tallies((source) => ({ ...base, source }))),
    ...(isFresh === undefined ? {} : { fresh: fresh.tally("fresh", isFresh) })
  }
}

/** Sorts by severity, highest first; an unknown severity comes first, as in filters. */
const rankOf = (severity: string): number => {
  const rank = severities.findIndex((known) => known === severity)
  return rank === -1 ? -1 : severities.length - rank
}

class Counter {
  readonly #counts = new Map<string, number>()
  #total = 0

  add(severity: string): void {
    this.#total++
    this.#counts.set(severity, (this.#counts.get(severity) ?? 0) + 1)
  }

  tally(key: string, selection: EventSelection): Tally {
    const parts = [...this.#counts].map(([severity, count]) => ({ severity, count }))
    return {
      key,
      selection,
      total: this.#total,
      parts: parts.toSorted((a, b) => rankOf(a.severity) - rankOf(b.severity))
    }
  }
}

class Counters {
  readonly #counters = new Map<string, Counter>()

  add(key: string, severity: string): void {
    const counter = this.of(key)
    counter.add(severity)
    this.#counters.set(key, counter)
  }

  of(key: string): Counter {
    return this.#counters.get(key) ?? new Counter()
  }

  tallies(selectionOf: (key: string) => EventSelection): ReadonlyArray<Tally> {
    return [...this.#counters].map(([key, counter]) => counter.tally(key, selectionOf(key)))
  }
}

const largestFirst = (tallies: ReadonlyArray<Tally>): ReadonlyArray<Tally> =>
  tallies.toSorted((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))

interface Column {
  /** Prefix of all times in the column. */
  readonly key: string
  readonly from: string
  readonly before: string
}

/** First day of a period. */
export const startOfPeriod = (period: OverviewFilter["period"], now: number): string =>
  columnsOf(period, now)[0]?.from ?? ""

/** Days or months in UTC, like the groups of the Events view. */
const columnsOf = (period: OverviewFilter["period"], now: number): ReadonlyArray<Column> => {
  const today = new Date(now)
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  return period === "days"
    ? Array.from({ length: 30 }, (_, index) => {
        const at = (offset: number) => dayOf(Date.UTC(year, month, day - 29 + index + offset))
        return { key: at(0), from: at(0), before: at(1) }
      })
    : Array.from({ length: 12 }, (_, index) => {
        const at = (offset: number) => dayOf(Date.UTC(year, month - 11 + index + offset, 1))
        return { key: at(0).slice(0, 7), from: at(0), before: at(1) }
      })
}

const spanOf = (columns: ReadonlyArray<Column>): EventSelection => {
  const [first, last] = [columns[0], columns.at(-1)]
  return first === undefined || last === undefined ? {} : { from: first.from, before: last.before }
}

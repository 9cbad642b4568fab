/** Creates listings of events: of a saved search, of one identifier, or of all identifiers of the tenant. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Events } from "@threat-exposure/core/client/Events"
import type { Cursor, Order, Page } from "@threat-exposure/core/domain/Page"
import { Context, Effect, Layer } from "effect"
import type { Connection } from "../../connection/Connection.ts"
import { Connections } from "../../connection/Connections.ts"
import { Profiles } from "../../connection/Profiles.ts"
import type { IdentifierEntry } from "../../register/RegisterEntries.ts"
import { firstPage, type Listed, type Listing, makeListing, mergeListings } from "../../listing/Listing.ts"
import { type Failure, problemOf } from "../../editor/Problem.ts"
import { Settings } from "../../editor/Settings.ts"
import {
  admitsSeverity,
  admitsState,
  both,
  type EventFilter,
  forGlobalSearch,
  forIdentifier,
  forTenant
} from "../search/EventFilter.ts"
import type { SavedSearch } from "../search/SavedSearch.ts"
import { EventCache } from "../EventCache.ts"
import { makeEventCompactor } from "./EventCompactor.ts"
import { type AnyEvent, mergeEvents, severityOf, timeOf } from "../AnyEvent.ts"
import * as eventSettings from "../EventSettings.ts"

/** Maximum number of identifiers whose events are requested together. */
export const maxIdentifiers = 50

export type EventListing = Listing<AnyEvent, Failure>

export class EventListings extends Context.Service<
  EventListings,
  {
    /** Whether the service or the key has refused to list the tenant's events. */
    readonly lacksTenant: () => boolean
    readonly ofSearch: (search: Omit<SavedSearch, "name">, filter: EventFilter) => Effect.Effect<EventListing>
    /** Events of the tenant, which cost no quota. For background work: requests wait for the rate limit. */
    readonly ofTenant: (filter: Pick<EventFilter, "estimated_created_at">) => Effect.Effect<EventListing>
    readonly ofIdentifier: (identifier: IdentifierEntry, filter: EventFilter) => Effect.Effect<EventListing>
    /**
     * Events of the tenant in one listing. If the service or the key cannot list them: events of the first
     * `maxIdentifiers` identifiers, with separate requests. `held` stores their listings, so that adding an identifier
     * does not repeat the requests of the others. `onAnswer` receives the number of identifiers that have answered.
     */
    readonly ofAll: (
      identifiers: ReadonlyArray<IdentifierEntry>,
      filter: EventFilter,
      held: Map<number, EventListing>,
      onAnswer: (count: number, total: number) => Effect.Effect<void>
    ) => Effect.Effect<EventListing>
  }
>()("threat-exposure/events/list/EventListings") {
  static readonly layer = Layer.effect(
    EventListings,
    Effect.gen(function* () {
      const connections = yield* Connections
      const seen = yield* EventCache
      const profiles = yield* Profiles
      const settings = yield* Settings

      const listing = Effect.fnUntraced(function* (
        page: (from: Cursor | undefined) => Effect.Effect<Page<AnyEvent>, Failure, Events>,
        { isInBackground = false, order = "desc" }: { readonly order?: Order; readonly isInBackground?: boolean } = {}
      ) {
        const { ask, work } = yield* connections.asNow
        const compact = makeEventCompactor()
        return yield* makeListing<AnyEvent, Failure, never>({
          order,
          size: yield* settings.get(eventSettings.pageSize),
          key: ({ metadata }) => metadata.uid,
          page: (from) =>
            (isInBackground ? work(page(from)) : ask(page(from))).pipe(
              Effect.map((found) => ({ ...found, items: found.items.map(compact) })),
              Effect.tap(({ items }) => seen.note(items))
            )
        })
      })

      /** The connection that cannot list the tenant's events. */
      let lackedBy: Connection | undefined

      const tenantListing = (filter: EventFilter) => {
        const filters = forTenant(filter)
        return listing((from) =>
          Effect.flatMap(Events, (events) => firstPage(events.pagesOfTenant({ filters, from }))).pipe(
            Effect.map((page) => filterPage(page, filter))
          )
        )
      }

      const pageOf = (identifier: IdentifierEntry, filter: EventFilter) =>
        Effect.fnUntraced(function* (from: Cursor | undefined) {
          const filters = forIdentifier(filter)
          if (filters === undefined) return nothing
          const events = yield* Events
          return filterPage(yield* firstPage(events.pagesOfIdentifier(identifier.id, { filters, from })), filters)
        })

      const ofIdentifiers = Effect.fnUntraced(function* (
        identifiers: ReadonlyArray<IdentifierEntry>,
        filter: EventFilter,
        held: Map<number, EventListing>,
        onAnswer: (count: number, total: number) => Effect.Effect<void>
      ) {
        const chosen = identifiers.slice(0, maxIdentifiers)
        const listings: ReadonlyArray<EventListing> = yield* Effect.forEach(
          chosen,
          Effect.fnUntraced(function* (identifier) {
            const page = pageOf(identifier, filter)
            const made =
              held.get(identifier.id) ??
              // An identifier that was deleted at the service has no events; it must not hide those of others.
              (yield* listing((from) => Effect.catchTag(page(from), "NotFound", () => Effect.succeed(nothing))))
            held.set(identifier.id, made)
            return made
          })
        )
        const count = Effect.suspend(() =>
          onAnswer(listings.filter((each) => each.now().asOf !== undefined).length, listings.length)
        )
        const merged = mergeListings({
          listings: listings.map((each) => ({ ...each, first: Effect.tap(each.first, () => count) })),
          key: ({ metadata }) => metadata.uid,
          time: timeOf,
          combine: mergeEvents,
          size: yield* settings.get(eventSettings.pageSize)
        })
        return {
          ...merged,
          // Also ends the progress message if loading fails.
          first: Effect.suspend(() =>
            merged.now().asOf === undefined
              ? Effect.ensuring(merged.first, onAnswer(listings.length, listings.length))
              : Effect.succeed(merged.now())
          )
        }
      })

      return EventListings.of({
        lacksTenant: () => lackedBy !== undefined,
        ofSearch: ({ query, filters, order }, viewFilter) =>
          listing(
            Effect.fnUntraced(function* (from) {
              const narrowed = both(filters ?? {}, viewFilter)
              const wanted = narrowed === undefined ? undefined : forGlobalSearch(narrowed)
              if (wanted === undefined) return nothing
              const events = yield* Events
              return filterPage(yield* firstPage(events.pages({ query, filters: wanted, order, from })), wanted)
            }),
            { order: order ?? "desc" }
          ),
        ofTenant: (filters) =>
          listing((from) => Effect.flatMap(Events, (events) => firstPage(events.pagesOfTenant({ filters, from }))), {
            isInBackground: true
          }),
        ofIdentifier: (identifier, filter) => listing(pageOf(identifier, filter)),
        ofAll: Effect.fnUntraced(function* (identifiers, filter, held, onAnswer) {
          const connection = yield* profiles.now
          if (connection !== lackedBy) lackedBy = undefined
          const ofEach = ofIdentifiers(identifiers, filter, held, onAnswer)
          const ofTenant = yield* tenantListing(filter)
          let chosen = connection === lackedBy ? yield* ofEach : ofTenant
          const isRefusal = (failure: Failure) =>
            isNotServed(failure) && (failure._tag !== "Forbidden" || identifiers.length > 0)
          const fallBack = (part: "first" | "more" | "refresh") =>
            Effect.fnUntraced(function* (failure: Failure) {
              if ((yield* profiles.now) !== connection) return yield* Effect.fail(failure)
              lackedBy = connection
              if (chosen === ofTenant) chosen = yield* ofEach
              return yield* chosen[part]
            })
          const load = (part: "first" | "more") =>
            Effect.suspend(() =>
              chosen === ofTenant ? Effect.catchIf(ofTenant[part], isRefusal, fallBack(part)) : chosen[part]
            )
          return {
            now: () => chosen.now(),
            first: load("first"),
            more: load("more"),
            // Always asks for the tenant's listing: the key may have received the permission meanwhile.
            refresh: ofTenant.refresh.pipe(
              Effect.tap(() =>
                Effect.sync(() => {
                  lackedBy = undefined
                  chosen = ofTenant
                })
              ),
              Effect.catchIf(isRefusal, fallBack("refresh"))
            )
          }
        })
      })
    })
  )
}

/** Maximum number of listings that are refreshed concurrently. */
const maxRefreshes = 4

/**
 * Refreshes all listings that have loaded something. If one fails, the others continue, unless its failure concerns all
 * of them: then no further refresh begins.
 */
export const refreshLoaded = Effect.fnUntraced(function* (listings: Iterable<EventListing>) {
  const failures: Array<Failure> = []
  let common: Failure | undefined
  const refreshed = ({ refresh }: EventListing) =>
    Effect.suspend(() => (common === undefined ? refresh : Effect.void)).pipe(
      Effect.asVoid,
      Effect.catch((failure) =>
        Effect.sync(() => {
          if (problemOf(failure).state === "failed") failures.push(failure)
          else common ??= failure
        })
      )
    )
  const loaded = [...listings].filter((listing) => listing.now().asOf !== undefined)
  yield* Effect.forEach(loaded, refreshed, { concurrency: maxRefreshes, discard: true })
  const first = common ?? failures[0]
  if (first !== undefined) return yield* Effect.fail(first)
})

/** Time of the oldest loaded listing, in milliseconds since 1970; undefined if nothing is loaded. */
export const asOfAll = (listings: Iterable<EventListing>): number | undefined => {
  const ages = [...listings].flatMap((listing) => listing.now().asOf ?? [])
  return ages.length === 0 ? undefined : Math.min(...ages)
}

/**
 * Wraps a listing: applies the latest annotations of the tenant, and removes events whose state the filter excludes. An
 * excluded event that passes again returns to its place, even if a refresh has removed it meanwhile.
 */
export const currentListing = (
  listing: EventListing,
  cache: EventCache["Service"],
  filter: EventFilter
): EventListing => {
  const leftOut = new Map<string, AnyEvent>()
  const isShownAsIs = (event: AnyEvent) => admitsState(filter, event) && cache.current(event) === event
  const select = (events: ReadonlyArray<AnyEvent>): ReadonlyArray<AnyEvent> => {
    // Fast path without a copy: a list of thousands is read after each page.
    if (leftOut.size === 0 && events.every(isShownAsIs)) return events
    const shown: Array<AnyEvent> = []
    const back = new Map(leftOut)
    for (const event of events) {
      const current = cache.current(event)
      const isShown = admitsState(filter, current)
      if (isShown) shown.push(current)
      else leftOut.set(event.metadata.uid, event)
      back.delete(event.metadata.uid)
    }
    const passing = [...back.values()].map(cache.current).filter((event) => admitsState(filter, event))
    return passing.length === 0
      ? shown
      : [...shown, ...passing].toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0))
  }
  // Cached until something changes, because each drawing of a row reads it.
  let last:
    | { readonly of: Listed<AnyEvent>; readonly length: number; readonly version: number; shown: Listed<AnyEvent> }
    | undefined
  const show = (listed: Listed<AnyEvent>): Listed<AnyEvent> => {
    const { length } = listed.items
    const version = cache.version()
    if (last?.of !== listed || last.length !== length || last.version !== version) {
      last = { of: listed, length, version, shown: { ...listed, items: select(listed.items) } }
    }
    return last.shown
  }
  return {
    now: () => show(listing.now()),
    first: Effect.map(listing.first, show),
    more: Effect.map(listing.more, show),
    refresh: Effect.map(listing.refresh, show)
  }
}

/** The service filters by the event's own severity, so this removes events whose severity the tenant lowered. */
const filterPage = (page: Page<AnyEvent>, filter: Pick<EventFilter, "severity">): Page<AnyEvent> => ({
  ...page,
  items: page.items.filter((event) => admitsSeverity(filter, severityOf(event)))
})

const nothing: Page<AnyEvent> = { items: [], next: null }

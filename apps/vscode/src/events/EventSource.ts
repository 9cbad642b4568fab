/** Where a view's events come from: a saved search, one identifier, or all identifiers known here. */
import { Events } from "@threat-exposure/core/client/Events"
import type { Cursor, Page } from "@threat-exposure/core/domain/Page"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import type { KnownIdentifier } from "../identifiers/Known.ts"
import { type Listing, makeListing, mergeListings } from "../listing/Listing.ts"
import type { Failure } from "../Problem.ts"
import { Settings } from "../Settings.ts"
import { both, type EventFilter, forGlobalSearch, forIdentifier } from "./EventFilter.ts"
import { type AnyEvent, timeOf } from "./EventRow.ts"
import type { SavedSearch } from "./SavedSearch.ts"
import { SeenEvents } from "./SeenEvents.ts"

export type EventListing = Listing<AnyEvent, Failure>

export class EventSource extends Context.Service<
  EventSource,
  {
    readonly ofSearch: (search: Omit<SavedSearch, "name">, filter: EventFilter) => Effect.Effect<EventListing>
    readonly ofIdentifier: (identifier: KnownIdentifier, filter: EventFilter) => Effect.Effect<EventListing>
    /** `held` keeps the listing of each identifier, so that one that is added later does not ask for the others again. */
    readonly ofIdentifiers: (
      identifiers: ReadonlyArray<KnownIdentifier>,
      filter: EventFilter,
      held: Map<number, EventListing>
    ) => Effect.Effect<EventListing>
  }
>()("threat-exposure/events/EventSource") {
  static readonly layer = Layer.effect(
    EventSource,
    Effect.gen(function* () {
      const connections = yield* Connections
      const seen = yield* SeenEvents
      const settings = yield* Settings

      const listing = Effect.fnUntraced(function* (
        page: (from: Cursor | undefined) => Effect.Effect<Page<AnyEvent>, Failure, Events>
      ) {
        return yield* makeListing<AnyEvent, Failure, never>({
          size: yield* settings.get("events.pageSize"),
          key: ({ metadata }) => metadata.uid,
          page: (from) => Effect.tap(connections.ask(page(from)), ({ items }) => seen.note(items))
        })
      })

      const ofIdentifier = (identifier: KnownIdentifier, filter: EventFilter) =>
        listing(
          Effect.fnUntraced(function* (from) {
            const filters = forIdentifier(filter)
            if (filters === undefined) return nothing
            const events = yield* Events
            return yield* firstOf(events.pagesOfIdentifier(identifier.id, { filters, from }))
          })
        )

      return EventSource.of({
        ofSearch: ({ query, filters, order }, viewFilter) =>
          listing(
            Effect.fnUntraced(function* (from) {
              const narrowed = both(filters ?? {}, viewFilter)
              const wanted = narrowed === undefined ? undefined : forGlobalSearch(narrowed)
              if (wanted === undefined) return nothing
              const events = yield* Events
              return yield* firstOf(events.pages({ query, filters: wanted, order, from }))
            })
          ),
        ofIdentifier,
        ofIdentifiers: Effect.fnUntraced(function* (identifiers, filter, held) {
          return mergeListings({
            listings: yield* Effect.forEach(
              identifiers,
              Effect.fnUntraced(function* (identifier) {
                const listing = held.get(identifier.id) ?? (yield* ofIdentifier(identifier, filter))
                held.set(identifier.id, listing)
                return listing
              })
            ),
            key: ({ metadata }) => metadata.uid,
            time: timeOf,
            combine: joined,
            size: yield* settings.get("events.pageSize")
          })
        })
      })
    })
  )
}

const nothing: Page<AnyEvent> = { items: [], next: null }

const firstOf = <A, E>(pages: Stream.Stream<Page<A>, E>) =>
  Effect.map(
    Stream.runHead(pages),
    Option.getOrElse((): Page<A> => ({ items: [], next: null }))
  )

/** One event that was matched to several identifiers names them all. */
const joined = (a: AnyEvent, b: AnyEvent): AnyEvent => {
  if (!("identifiers" in a) || !("identifiers" in b)) return a
  const others = b.identifiers.filter(({ id }) => !a.identifiers.some((known) => known.id === id))
  return { ...a, identifiers: [...a.identifiers, ...others] }
}

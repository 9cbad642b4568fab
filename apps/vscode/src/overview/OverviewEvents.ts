/**
 * Loads events for the overview on request if the service does not list the tenant's events: the last twelve months of
 * each identifier and each saved search, page by page.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { type Failure, problemOf } from "../editor/Problem.ts"
import { Settings } from "../editor/Settings.ts"
import { type EventListing, EventListings } from "../events/list/EventListings.ts"
import * as eventSettings from "../events/EventSettings.ts"
import type { SavedSearch } from "../events/search/SavedSearch.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { firstMonth } from "./OverviewFilter.ts"
import type { LoadPlan } from "./OverviewContent.ts"

/** Approximate maximum number of requests per press of the button. */
const defaultRequests = 20

/** Number of events that the service returns per request. */
const eventsPerRequest = 10

interface Source {
  readonly listing: EventListing
  /** Whether requests cost quota: yes for a global search, no for one identifier. */
  readonly costsQuota: boolean
}

export class OverviewEvents extends Context.Service<
  OverviewEvents,
  {
    readonly plan: Effect.Effect<LoadPlan>
    /** Loads events according to the plan, newest first; each page appears on arrival. */
    readonly load: Effect.Effect<void, Failure | Cancelled>
  }
>()("threat-exposure/overview/OverviewEvents") {
  static readonly layer = Layer.effect(
    OverviewEvents,
    Effect.gen(function* () {
      const editor = yield* Editor
      const settings = yield* Settings
      const register = yield* Register
      const listings = yield* EventListings
      const sources = new Map<string, Source>()
      const failed = new Set<Source>()

      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() => Effect.sync(() => sources.clear())),
        Effect.forkScoped
      )

      const sourceOf = Effect.fnUntraced(function* (
        key: string,
        costsQuota: boolean,
        listing: Effect.Effect<EventListing>
      ) {
        const known = sources.get(key) ?? { listing: yield* listing, costsQuota }
        sources.set(key, known)
        return known
      })

      const all = Effect.gen(function* () {
        const filter = { estimated_created_at: { gte: yield* firstMonth } }
        const identifiers = yield* Effect.forEach(yield* register.identifiers, (identifier) =>
          sourceOf(`identifier ${identifier.id}`, false, listings.ofIdentifier(identifier, filter))
        )
        const searches = yield* Effect.forEach(yield* settings.get(eventSettings.savedSearches), (search) => {
          // Overrides the order of the search.
          const newestFirst: SavedSearch = { ...search, order: "desc" }
          return sourceOf(`search ${JSON.stringify(search)}`, true, listings.ofSearch(newestFirst, filter))
        })
        return [...identifiers, ...searches]
      })

      const planned = Effect.gen(function* () {
        const known = yield* all
        const open = known.filter((source) => {
          const { asOf, hasMore } = source.listing.now()
          return !failed.has(source) && (asOf === undefined || hasMore)
        })
        const perPage = Math.ceil((yield* settings.get(eventSettings.pageSize)) / eventsPerRequest)
        const rounds = open.length === 0 ? 0 : Math.max(1, Math.floor(defaultRequests / (open.length * perPage)))
        return { known, open, perPage, rounds }
      })

      return OverviewEvents.of({
        plan: Effect.map(planned, ({ known, open, perPage, rounds }) => ({
          sources: known.length,
          requests: open.length * perPage * rounds,
          searches: open.filter(({ costsQuota }) => costsQuota).length * perPage * rounds
        })),
        load: Effect.gen(function* () {
          const { open, rounds } = yield* planned
          const steps = Array.from({ length: rounds }, () => open).flat()
          yield* editor.progress(t("Loading events"), (report) =>
            Effect.forEach(
              steps.entries(),
              Effect.fnUntraced(function* ([step, source]: [number, Source]) {
                if (failed.has(source)) return
                yield* report("", (step / steps.length) * 100)
                // `more` loads the first page if none is loaded.
                yield* source.listing.more.pipe(
                  Effect.asVoid,
                  Effect.catch((failure) => {
                    if (problemOf(failure).state !== "failed") return Effect.fail(failure)
                    // If one source fails, continue with the others.
                    failed.add(source)
                    return editor.log("error", `overview.loadEvents: ${failure._tag}: ${failure.message}`)
                  })
                )
              }),
              { discard: true }
            )
          )
        })
      })
    })
  )
}

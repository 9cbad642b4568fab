/**
 * The events that the overview loads on request, where the service does not list those of the tenant: the last twelve months of
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

/** About as many requests as one press of the button may cost. */
const defaultRequests = 20

/** The service gives as many events per request. */
const eventsPerRequest = 10

interface Source {
  readonly listing: EventListing
  /** A global search; that of one identifier costs no quota. */
  readonly costsQuota: boolean
}

export class OverviewEvents extends Context.Service<
  OverviewEvents,
  {
    readonly plan: Effect.Effect<LoadPlan>
    /** Loads what the plan says, the newest events first; each page appears as it comes. */
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
          // The newest first, whatever its own order is.
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
                // `more` loads the first page where none is there.
                yield* source.listing.more.pipe(
                  Effect.asVoid,
                  Effect.catch((failure) => {
                    if (problemOf(failure).state !== "failed") return Effect.fail(failure)
                    // A failure of one source does not keep the others from loading.
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

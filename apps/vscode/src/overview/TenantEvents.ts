/** Loads the open events of the tenant for the overview, in the background, newest first. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Context, Effect, Layer, PubSub, Semaphore, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { type Failure, type Problem, problemOf } from "../editor/Problem.ts"
import { timeOf } from "../events/AnyEvent.ts"
import { type EventListing, EventListings } from "../events/list/EventListings.ts"
import { t } from "../words/Localisation.ts"
import { firstMonth } from "./OverviewFilter.ts"

/** Maximum number of loaded events: half the size of the event cache. */
const maxLoaded = 10_000

export interface TenantLoad {
  /** Whether the service or the key cannot list the tenant's events. */
  readonly isLacking: boolean
  readonly isLoading: boolean
  readonly loaded: number
  readonly asOf: number | undefined
  /** Reason why the last load stopped early; undefined if it did not. */
  readonly problem: Problem | undefined
}

export class TenantEvents extends Context.Service<
  TenantEvents,
  {
    readonly now: () => TenantLoad
    /** Whether all events since this day are loaded. */
    readonly isComplete: (from: string) => boolean
    /**
     * Loads pages while `isWatched`, until all events since this day are loaded. A concurrent call extends the current
     * load, and waits for it.
     */
    readonly load: (from: string, isWatched: Effect.Effect<boolean>) => Effect.Effect<void>
    /** Loads new events, then continues as `load`. */
    readonly refresh: Effect.Effect<void>
    /** Emits when a load begins or ends. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/overview/TenantEvents") {
  static readonly layer = Layer.effect(
    TenantEvents,
    Effect.gen(function* () {
      const editor = yield* Editor
      const listings = yield* EventListings
      const changes = yield* PubSub.sliding<void>(1)
      const one = yield* Semaphore.make(1)
      let listing: EventListing | undefined
      let wanted: string | undefined
      let isLacking = false
      let isLoading = false
      let problem: Problem | undefined

      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() =>
          Effect.suspend(() => {
            listing = undefined
            wanted = undefined
            isLacking = false
            problem = undefined
            return PubSub.publish(changes, undefined)
          })
        ),
        Effect.forkScoped({ startImmediately: true })
      )

      const current = Effect.gen(function* () {
        if (listing !== undefined) return listing
        const gte = yield* firstMonth
        listing = yield* listings.ofTenant({ estimated_created_at: { gte } })
        return listing
      })

      const isComplete = (from: string) => {
        const listed = listing?.now()
        if (listed?.asOf === undefined) return false
        const last = listed.items.at(-1)
        return !listed.hasMore || (last !== undefined && timeOf(last) < from)
      }

      const fail = Effect.fnUntraced(function* (failure: Failure) {
        if (failure._tag === "Superseded") return
        yield* editor.log("warn", `overview: ${failure._tag}: ${failure.message}`)
        isLacking = isNotServed(failure)
        problem =
          isLacking && failure._tag !== "Forbidden"
            ? { state: "notOffered", message: t("The service does not list the events of your tenant.") }
            : problemOf(failure)
      })

      const announced = <E>(work: Effect.Effect<void, E>) =>
        Effect.suspend(() => {
          isLoading = true
          problem = undefined
          return Effect.andThen(PubSub.publish(changes, undefined), work)
        }).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              isLoading = false
              return PubSub.publish(changes, undefined)
            })
          )
        )

      const load = Effect.fnUntraced(function* (from: string, isWatched: Effect.Effect<boolean>) {
        wanted = wanted === undefined || from < wanted ? from : wanted
        const isEnough = () =>
          isLacking || wanted === undefined || isComplete(wanted) || (listing?.now().items.length ?? 0) >= maxLoaded
        if (isEnough()) return
        const pages = Effect.gen(function* () {
          while (!isEnough() && (yield* isWatched)) yield* (yield* current).more
        }).pipe(Effect.catch(fail))
        const before = problem
        yield* one.withPermit(
          Effect.suspend(() => {
            const hasFailed = problem !== undefined && problem !== before
            return isEnough() || hasFailed ? Effect.void : announced(pages)
          })
        )
      })

      return TenantEvents.of({
        now: () => {
          const listed = listing?.now()
          return { isLacking, isLoading, loaded: listed?.items.length ?? 0, asOf: listed?.asOf, problem }
        },
        isComplete,
        load,
        refresh: Effect.suspend(() => {
          // The key may have received the permission meanwhile.
          isLacking = false
          const renew = Effect.flatMap(current, ({ refresh }) => refresh).pipe(Effect.asVoid, Effect.catch(fail))
          return Effect.andThen(
            one.withPermitsIfAvailable(1)(announced(renew)),
            Effect.suspend(() => (wanted === undefined ? Effect.void : load(wanted, Effect.succeed(true))))
          )
        }),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

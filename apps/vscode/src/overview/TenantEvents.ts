/** The open events of the tenant, as the overview counts them: loaded in the background, the newest first. */
import { Context, Effect, Layer, PubSub, Semaphore, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { type Failure, type Problem, problemOf } from "../editor/Problem.ts"
import { timeOf } from "../events/AnyEvent.ts"
import { type EventListing, EventListings } from "../events/list/EventListings.ts"
import { firstMonth } from "./OverviewFilter.ts"

/** The cache of events holds twice as many. */
const maxLoaded = 10_000

export interface TenantLoad {
  /** The service or the key cannot list the events of the tenant. */
  readonly isLacking: boolean
  readonly isLoading: boolean
  readonly loaded: number
  readonly asOf: number | undefined
  /** Why the last load stopped early. */
  readonly problem: Problem | undefined
}

export class TenantEvents extends Context.Service<
  TenantEvents,
  {
    readonly now: () => TenantLoad
    /** Whether all events from this day on are loaded. */
    readonly isComplete: (from: string) => boolean
    /** Loads page by page while `isWatched`, until the events from this day on are there. A second call extends the first. */
    readonly load: (from: string, isWatched: Effect.Effect<boolean>) => Effect.Effect<void>
    /** Reads what is new, then goes on as `load`. */
    readonly refresh: Effect.Effect<void>
    /** After a load began or ended. */
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
        if (failure._tag === "NotFound" || failure._tag === "Forbidden") isLacking = true
        else problem = problemOf(failure)
      })

      const working = <E>(work: Effect.Effect<void, E>) =>
        one.withPermitsIfAvailable(1)(
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
        )

      const load = Effect.fnUntraced(function* (from: string, isWatched: Effect.Effect<boolean>) {
        wanted = wanted === undefined || from < wanted ? from : wanted
        const isEnough = () =>
          isLacking || wanted === undefined || isComplete(wanted) || (listing?.now().items.length ?? 0) >= maxLoaded
        if (isEnough()) return
        yield* working(
          Effect.gen(function* () {
            while (!isEnough() && (yield* isWatched)) yield* (yield* current).more
          }).pipe(Effect.catch(fail))
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
          const from = wanted
          // A key can have got the permission meanwhile.
          isLacking = false
          const renew = Effect.flatMap(current, ({ refresh }) => refresh).pipe(Effect.asVoid, Effect.catch(fail))
          return Effect.andThen(working(renew), from === undefined ? Effect.void : load(from, Effect.succeed(true)))
        }),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

/**
 * The events that searches returned, by uid: a page shows what only the search returns, such as highlights. Changes that
 * the service has not confirmed yet are applied to what is read from here.
 */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Register } from "../register/Register.ts"
import { type AnyEvent, identifiersOf, isOfTenant, joined } from "./AnyEvent.ts"

/** The size of the cache. The oldest entries are dropped, those of other searches before those of the tenant, which are counted. */
const maxEvents = 20_000

type Amend = (event: AnyEvent) => AnyEvent

export class EventCache extends Context.Service<
  EventCache,
  {
    readonly note: (events: ReadonlyArray<AnyEvent>) => Effect.Effect<void>
    /** All of them, in no order. */
    readonly all: () => Iterable<AnyEvent>
    /** Which events the cache has dropped for others since the sign-in. */
    readonly dropped: () => { readonly ofTenant: boolean; readonly others: boolean }
    readonly get: (uid: string) => AnyEvent | undefined
    /** The event of a listing, with what the tenant is now known to say about it. */
    readonly current: (event: AnyEvent) => AnyEvent
    /** Applies `amend` to the event of each uid until it is replaced; undefined removes it. */
    readonly amend: (amendments: ReadonlyMap<string, Amend | undefined>) => Effect.Effect<void>
    /** Keeps the event as `amend` changes it, which the service has confirmed; `rest` is not confirmed yet. Looks the same as before. */
    readonly confirm: (uid: string, amend: Amend, rest: Amend | undefined) => Effect.Effect<void>
    /** Changes with everything that is read from here. */
    readonly version: () => number
    /** After amendments were added or removed. */
    readonly amended: Stream.Stream<void>
    readonly noteOpened: (uid: string) => Effect.Effect<void>
    /** The uid of each event that a person opens. */
    readonly opened: Stream.Stream<string>
    /** After events were noted or forgotten. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/events/EventCache") {
  static readonly layer = Layer.effect(
    EventCache,
    Effect.gen(function* () {
      const register = yield* Register
      const byUid = new Map<string, AnyEvent>()
      const amendments = new Map<string, Amend>()
      let version = 0
      const dropped = { ofTenant: false, others: false }
      const dropOldest = (kind: keyof typeof dropped) => {
        for (const [uid, event] of byUid) {
          if (byUid.size <= maxEvents) return
          if (isOfTenant(event) !== (kind === "ofTenant")) continue
          byUid.delete(uid)
          dropped[kind] = true
        }
      }
      const get = (uid: string) => {
        const event = byUid.get(uid)
        const amend = amendments.get(uid)
        return event === undefined || amend === undefined ? event : amend(event)
      }
      const opened = yield* PubSub.unbounded<string>()
      // One pending notice is enough: a subscriber reads the present state.
      const changes = yield* PubSub.sliding<void>(1)
      const amended = yield* PubSub.sliding<void>(1)
      const publishChange = Effect.suspend(() => {
        version++
        return PubSub.publish(changes, undefined)
      })
      // Annotations belong to one tenant.
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() =>
          Effect.andThen(
            Effect.sync(() => {
              byUid.clear()
              dropped.ofTenant = false
              dropped.others = false
            }),
            publishChange
          )
        ),
        Effect.forkScoped
      )
      return EventCache.of({
        note: Effect.fnUntraced(function* (events) {
          for (const event of events) {
            const { uid } = event.metadata
            const before = byUid.get(uid)
            byUid.delete(uid)
            byUid.set(uid, before === undefined ? event : joined(event, before))
          }
          dropOldest("others")
          dropOldest("ofTenant")
          const identifiers = events.flatMap(identifiersOf)
          yield* register.learn({
            identifiers: identifiers.map(({ id, name }) => ({ id, name, origin: "event" as const }))
          })
          yield* publishChange
        }),
        all: () => (amendments.size === 0 ? byUid.values() : Array.from(byUid, ([uid, event]) => get(uid) ?? event)),
        dropped: () => dropped,
        get,
        current: (event) => {
          const tenant_metadata = get(event.metadata.uid)?.tenant_metadata ?? event.tenant_metadata
          return tenant_metadata === event.tenant_metadata ? event : { ...event, tenant_metadata }
        },
        amend: (next) =>
          Effect.suspend(() => {
            for (const [uid, amend] of next) {
              if (amend === undefined) amendments.delete(uid)
              else amendments.set(uid, amend)
            }
            return Effect.andThen(publishChange, PubSub.publish(amended, undefined))
          }),
        confirm: (uid, amend, rest) =>
          Effect.sync(() => {
            const event = byUid.get(uid)
            if (event !== undefined) byUid.set(uid, amend(event))
            if (rest === undefined) amendments.delete(uid)
            else amendments.set(uid, rest)
          }),
        version: () => version,
        amended: Stream.fromPubSub(amended),
        noteOpened: (uid) => PubSub.publish(opened, uid),
        opened: Stream.fromPubSub(opened),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

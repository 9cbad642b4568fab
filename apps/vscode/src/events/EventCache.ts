/**
 * Caches events from searches by uid, because pages show data that only a search returns, such as highlights. Reads
 * include changes that the service has not confirmed yet.
 */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Register } from "../register/Register.ts"
import { type AnyEvent, identifiersOf, isOfTenant, mergeEvents } from "./AnyEvent.ts"

/**
 * Maximum size of the cache. Drops the oldest entries first; those of the tenant, which the overview counts, only after
 * all others.
 */
const maxEvents = 20_000

type Amend = (event: AnyEvent) => AnyEvent

export class EventCache extends Context.Service<
  EventCache,
  {
    readonly note: (events: ReadonlyArray<AnyEvent>) => Effect.Effect<void>
    /** All cached events, in no particular order. */
    readonly all: () => Iterable<AnyEvent>
    /** Whether the cache has dropped events since the sign-in, by kind. */
    readonly dropped: () => { readonly ofTenant: boolean; readonly others: boolean }
    readonly get: (uid: string) => AnyEvent | undefined
    /** An event of a listing, with the latest annotations of the tenant. */
    readonly current: (event: AnyEvent) => AnyEvent
    /** Applies `amend` to the event of each uid until another function replaces it; undefined removes it. */
    readonly amend: (amendments: ReadonlyMap<string, Amend | undefined>) => Effect.Effect<void>
    /**
     * Applies a confirmed change permanently; `rest` is the change that is still unconfirmed. Does not alter what reads
     * return.
     */
    readonly confirm: (uid: string, amend: Amend, rest: Amend | undefined) => Effect.Effect<void>
    /** A number that changes whenever reads may return something else. */
    readonly version: () => number
    /** Emits after amendments are added or removed. */
    readonly amended: Stream.Stream<void>
    readonly noteOpened: (uid: string) => Effect.Effect<void>
    /** Emits the uid of each event that the person opens. */
    readonly opened: Stream.Stream<string>
    /** Emits after events are added or removed. */
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
      // Capacity 1 is enough: subscribers read the current state.
      const changes = yield* PubSub.sliding<void>(1)
      const amended = yield* PubSub.sliding<void>(1)
      const publishChange = Effect.suspend(() => {
        version++
        return PubSub.publish(changes, undefined)
      })
      // Clear the cache when the profile changes, because annotations belong to one tenant.
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
            byUid.set(uid, before === undefined ? event : mergeEvents(event, before))
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

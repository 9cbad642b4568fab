/** The events that searches returned, by uid: a page shows what only the search returns, such as highlights. */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Register } from "../register/Register.ts"
import { type AnyEvent, joined } from "./AnyEvent.ts"

/** The size of the cache; the oldest entries are dropped. */
const most = 20_000

export class EventCache extends Context.Service<
  EventCache,
  {
    readonly note: (events: ReadonlyArray<AnyEvent>) => Effect.Effect<void>
    /** All of them, in no order. */
    readonly all: () => Iterable<AnyEvent>
    readonly get: (uid: string) => AnyEvent | undefined
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
      const opened = yield* PubSub.unbounded<string>()
      // One pending notice is enough: a subscriber reads the present state.
      const changes = yield* PubSub.sliding<void>(1)
      // Annotations belong to one tenant.
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() =>
          Effect.andThen(
            Effect.sync(() => byUid.clear()),
            PubSub.publish(changes, undefined)
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
          for (const uid of byUid.keys()) {
            if (byUid.size <= most) break
            byUid.delete(uid)
          }
          const identifiers = events.flatMap((event) => ("identifiers" in event ? event.identifiers : []))
          yield* register.learn({
            identifiers: identifiers.map(({ id, name }) => ({ id, name, origin: "event" as const }))
          })
          yield* PubSub.publish(changes, undefined)
        }),
        all: () => byUid.values(),
        get: (uid) => byUid.get(uid),
        noteOpened: (uid) => PubSub.publish(opened, uid),
        opened: Stream.fromPubSub(opened),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

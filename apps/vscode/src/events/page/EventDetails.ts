/** Loads and caches complete events, for pages that are drawn repeatedly. */
import { Events } from "@threat-exposure/core/client/Events"
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Context, Effect, Layer, Stream } from "effect"
import { Connections } from "../../connection/Connections.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import { t } from "../../words/Localisation.ts"

/** Maximum number of cached events; the oldest are dropped. */
const maxCached = 50

export class EventDetails extends Context.Service<
  EventDetails,
  {
    readonly get: (uid: string) => Effect.Effect<TypedEvent, Failure>
  }
>()("threat-exposure/events/page/EventDetails") {
  static readonly layer = Layer.effect(
    EventDetails,
    Effect.gen(function* () {
      const connections = yield* Connections
      const known = new Map<string, TypedEvent>()
      // Clear the cache when the profile changes: another tenant must not see these events.
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() => Effect.sync(() => known.clear())),
        Effect.forkScoped
      )
      return EventDetails.of({
        get: Effect.fnUntraced(function* (uid) {
          const event =
            known.get(uid) ??
            (yield* connections
              .ask(Effect.flatMap(Events, (events) => events.get(uid)))
              .pipe(Effect.catchTag("NotFound", () => new NotPossible({ message: t("Event not found.") }))))
          known.set(uid, event)
          const first = known.keys().next().value
          if (known.size > maxCached && first !== undefined) known.delete(first)
          return event
        })
      })
    })
  )
}

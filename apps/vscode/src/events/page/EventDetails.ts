/** Events in full, kept for pages that are drawn again. */
import { Events } from "@threat-exposure/core/client/Events"
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Context, Effect, Layer, Stream } from "effect"
import { Connections } from "../../connection/Connections.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import { t } from "../../words/Localisation.ts"

/** The size of the cache; the oldest entries are dropped. */
const most = 50

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
      // Events of one tenant must not be shown to another.
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
          if (known.size > most && first !== undefined) known.delete(first)
          return event
        })
      })
    })
  )
}

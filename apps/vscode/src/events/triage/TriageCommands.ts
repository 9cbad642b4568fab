/** Commands that change the tenant's data about events, on selected rows or on an event's page. */
import { Events } from "@threat-exposure/core/client/Events"
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import { Clock, Effect, Predicate, type Scope, Stream } from "effect"
import { Connections } from "../../connection/Connections.ts"
import type { ServiceView } from "../../connection/ServiceView.ts"
import { type Call, Commands } from "../../editor/Commands.ts"
import { Editor } from "../../editor/Editor.ts"
import { type Failure, lacksOperation } from "../../editor/Problem.ts"
import type { Subject } from "../../editor/tree/Subject.ts"
import { count } from "../../words/Localisation.ts"
import type { AnyEvent } from "../AnyEvent.ts"
import { EventCache } from "../EventCache.ts"
import { EventDetails } from "../page/EventDetails.ts"
import { EventSubject, LeakOfDaySubject } from "../EventSubjects.ts"
import { Triage } from "./Triage.ts"
import { changeOfState } from "./TriageChange.ts"

const form = Effect.promise(() => import("../search/EventForms.ts"))

/** Registers the commands, and shows in the view how many changes are unsent. */
export const registerTriage = (
  view: ServiceView
): Effect.Effect<void, never, Commands | Connections | Editor | EventCache | EventDetails | Scope.Scope | Triage> =>
  Effect.gen(function* () {
    const cache = yield* EventCache
    const commands = yield* Commands
    const connections = yield* Connections
    const details = yield* EventDetails
    const editor = yield* Editor
    const triage = yield* Triage

    /**
     * Reads an event that no search has returned, such as that of a link. An annotation request without changes returns
     * the tenant's data, if the service has annotations.
     */
    const read = Effect.fnUntraced(function* (uid: string): Effect.fn.Return<AnyEvent, Failure> {
      const { event_type: type, metadata } = yield* details.get(uid)
      const said = yield* connections
        .ask(Effect.flatMap(Events, (events) => events.annotate(uid, {})))
        .pipe(Effect.catchIf(lacksOperation, () => Effect.succeed({ severity: null, tags: [], notes: null })))
      const severity = said.severity === null ? null : { original: metadata.severity, override: said.severity }
      const { estimated_created_at, matched_at, severity: reported } = metadata
      const event: AnyEvent = {
        metadata: { uid, estimated_created_at, matched_at, type, severity: reported },
        tenant_metadata: { severity, tags: said.tags, notes: said.notes },
        highlights: {}
      }
      yield* cache.note([event])
      return event
    })

    /** Events of a call: a page passes its uid and a menu the rows; for a key, the selected rows. */
    const targetsOf = Effect.fnUntraced(function* ({ args: [uid], subjects }: Call) {
      if (Predicate.isString(uid)) return [cache.get(uid) ?? (yield* read(uid))]
      const chosen =
        subjects.length > 0 ? subjects : (yield* view.tree.selection).flatMap(({ subject }) => subject ?? [])
      const byUid = new Map(chosen.flatMap(eventsOf).map((event) => [event.metadata.uid, cache.current(event)]))
      return [...byUid.values()]
    })

    const toState = (state: EventStatus) =>
      Effect.fnUntraced(function* (call: Call) {
        const events = yield* targetsOf(call)
        const isByKey = call.args.length === 0
        // The editor would forget the place of the keyboard, because rows in another state leave the list.
        const next = isByKey ? view.tree.beside(yield* view.tree.selection) : undefined
        yield* triage.change(events.flatMap((event) => changeOfState(event, state) ?? []))
        if (next !== undefined) yield* view.tree.focus(next)
      })
    yield* commands.on("events.ignore", toState("ignored"))
    yield* commands.on("events.remediate", toState("remediated"))
    yield* commands.on("events.reopen", toState("open"))
    yield* commands.on("events.undo", () => triage.undo)

    const annotate = (question: "askNote" | "askSeverity" | "askTags") =>
      Effect.fnUntraced(function* (call: Call) {
        const events = yield* targetsOf(call)
        if (events.length === 0) return
        const annotationOf = yield* (yield* form)[question](editor, events)
        yield* triage.change(events.map((event) => ({ uid: event.metadata.uid, annotation: annotationOf(event) })))
      })
    yield* commands.on("events.note", annotate("askNote"))
    yield* commands.on("events.setSeverity", annotate("askSeverity"))
    yield* commands.on("events.tag", annotate("askTags"))

    let unsentSince: number | undefined
    yield* triage.unsent.pipe(
      Stream.switchMap((unsent) =>
        Stream.fromEffect(
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            unsentSince = unsent === 0 ? undefined : (unsentSince ?? now)
            // Delayed, because a few changes are sent before a message is needed.
            if (unsentSince !== undefined) yield* Effect.sleep(Math.max(0, unsentSince + 1000 - now))
            return unsent
          })
        )
      ),
      Stream.runForEach((unsent) =>
        view.showProgress(unsent === 0 ? undefined : count(unsent, "Sending {0} change", "Sending {0} changes"))
      ),
      Effect.forkScoped
    )
  })

const eventsOf = (subject: Subject): ReadonlyArray<AnyEvent> =>
  subject instanceof EventSubject ? [subject.event] : subject instanceof LeakOfDaySubject ? subject.events : []

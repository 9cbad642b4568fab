/** Commands that change what the tenant says about events: of the chosen rows, or of an event's page. */
import { Events } from "@threat-exposure/core/client/Events"
import { maxNotesLength, maxTagLength, maxTags } from "@threat-exposure/core/domain/Event"
import type { EventAnnotation, EventStatus } from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { Effect, Predicate, type Scope } from "effect"
import { Connections } from "../../connection/Connections.ts"
import { type Call, Commands } from "../../editor/Commands.ts"
import { type Cancelled, Editor, type Tree } from "../../editor/Editor.ts"
import type { Failure } from "../../editor/Problem.ts"
import type { Subject } from "../../editor/Subject.ts"
import { capitalized, count, number, t } from "../../words/Localisation.ts"
import { type AnyEvent, severityOf } from "../AnyEvent.ts"
import { EventCache } from "../EventCache.ts"
import { EventDetails } from "../EventDetails.ts"
import { severityIcon } from "../EventRow.ts"
import { EventSubject, LeakOfDaySubject } from "../EventSubjects.ts"
import { Triage } from "./Triage.ts"
import { changeOfState } from "./TriageChange.ts"

export const registerTriage = (
  tree: Tree
): Effect.Effect<void, never, Commands | Connections | Editor | EventCache | EventDetails | Scope.Scope | Triage> =>
  Effect.gen(function* () {
    const cache = yield* EventCache
    const commands = yield* Commands
    const connections = yield* Connections
    const details = yield* EventDetails
    const editor = yield* Editor
    const triage = yield* Triage

    /** An event that no search has returned, such as that of a link: without a change, the answer says what the tenant says. */
    const read = Effect.fnUntraced(function* (uid: string): Effect.fn.Return<AnyEvent, Failure> {
      const { event_type: type, metadata } = yield* details.get(uid)
      const said = yield* connections.ask(Effect.flatMap(Events, (events) => events.annotate(uid, {})))
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

    /** A page passes its uid, a menu the rows, and the keyboard nothing. */
    const targetsOf = Effect.fnUntraced(function* ({ args: [uid], subjects }: Call) {
      if (Predicate.isString(uid)) return [cache.get(uid) ?? (yield* read(uid))]
      const chosen = subjects.length > 0 ? subjects : (yield* tree.selection).flatMap(({ subject }) => subject ?? [])
      const byUid = new Map(chosen.flatMap(eventsOf).map((event) => [event.metadata.uid, cache.current(event)]))
      return [...byUid.values()]
    })

    const toState = (state: EventStatus) =>
      Effect.fnUntraced(function* (call: Call) {
        const events = yield* targetsOf(call)
        yield* triage.change(events.flatMap((event) => changeOfState(event, state) ?? []))
      })
    yield* commands.on("events.ignore", toState("ignored"))
    yield* commands.on("events.remediate", toState("remediated"))
    yield* commands.on("events.reopen", toState("open"))
    yield* commands.on("events.undo", () => triage.undo)

    const annotate = (
      ask: (events: ReadonlyArray<AnyEvent>) => Effect.Effect<(event: AnyEvent) => EventAnnotation, Failure | Cancelled>
    ) =>
      Effect.fnUntraced(function* (call: Call) {
        const events = yield* targetsOf(call)
        if (events.length === 0) return
        const annotationOf = yield* ask(events)
        yield* triage.change(events.map((event) => ({ uid: event.metadata.uid, annotation: annotationOf(event) })))
      })

    yield* commands.on(
      "events.tag",
      annotate(
        Effect.fnUntraced(function* (events) {
          const [first, ...others] = events.map(({ tenant_metadata }) => tenant_metadata.tags)
          const shared = (first ?? []).filter((tag) => others.every((tags) => tags.includes(tag)))
          const typed = yield* editor.ask({
            title: titleFor(t("Tags"), events),
            prompt: t("Tags, separated by commas"),
            value: shared.join(", "),
            check: (text) => faultOfTags(tagsIn(text))
          })
          const tags = tagsIn(typed)
          // Each keeps the tags that the others do not have.
          return (event) => ({
            tags: [...new Set([...event.tenant_metadata.tags.filter((tag) => !shared.includes(tag)), ...tags])]
          })
        })
      )
    )
    yield* commands.on(
      "events.note",
      annotate(
        Effect.fnUntraced(function* (events) {
          const notes = new Set(events.map(({ tenant_metadata }) => tenant_metadata.notes ?? ""))
          const [before = ""] = notes
          // A field of one line would join the lines of what is there.
          const isAdded = notes.size > 1 || before.includes("\n")
          const typed = yield* editor.ask({
            title: titleFor(t("Note"), events),
            prompt: isAdded ? t("Added below the notes that are there") : t("Empty removes the note"),
            value: isAdded ? "" : before,
            check: (text) =>
              [...notes].some((note) => note.length + text.length >= maxNotesLength)
                ? t("At most {0} characters", number(maxNotesLength))
                : undefined
          })
          return ({ tenant_metadata: { notes } }) => {
            const next = isAdded ? [notes ?? "", typed].filter((part) => part !== "").join("\n") : typed
            return { notes: next === "" ? null : next }
          }
        })
      )
    )
    yield* commands.on(
      "events.setSeverity",
      annotate(
        Effect.fnUntraced(function* (events) {
          const [first, ...others] = events.map(severityOf)
          const shared = others.every((severity) => severity === first) ? first : undefined
          const severity = yield* editor.pick<Severity | null>(
            [
              ...severities.toReversed().map((each) => ({
                label: capitalized(t(each)),
                icon: severityIcon(each).id,
                picked: each === shared,
                value: each
              })),
              { label: t("As the service reports it"), icon: "discard", value: null }
            ],
            { title: titleFor(t("Severity"), events) }
          )
          return () => ({ severity })
        })
      )
    )
  })

const eventsOf = (subject: Subject): ReadonlyArray<AnyEvent> =>
  subject instanceof EventSubject ? [subject.event] : subject instanceof LeakOfDaySubject ? subject.events : []

const titleFor = (what: string, events: ReadonlyArray<AnyEvent>) =>
  events.length === 1 ? what : t("{0}: {1}", what, count(events.length, "{0} event", "{0} events"))

const tagsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "")
  )
]

const faultOfTags = (tags: ReadonlyArray<string>): string | undefined =>
  tags.length > maxTags
    ? t("At most {0} tags", maxTags)
    : tags.some((tag) => tag.length > maxTagLength)
      ? t("A tag has at most {0} characters", maxTagLength)
      : undefined

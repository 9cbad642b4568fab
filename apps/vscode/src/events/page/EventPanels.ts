import { IdentifierEvent } from "@threat-exposure/core/domain/Event"
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Clock, Context, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { serviceOf } from "../../connection/Connection.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { Detection } from "../../detection/Detection.ts"
import { Editor } from "../../editor/Editor.ts"
import { makePageContent } from "../../editor/page/PageContent.ts"
import { Pages } from "../../editor/page/Pages.ts"
import { type Failure, problemOf } from "../../editor/Problem.ts"
import { type FindSecrets, withoutSecrets } from "../../editor/page/Secrets.ts"
import { masking, Settings } from "../../editor/Settings.ts"
import { agesChange, messagesOf, type ShowPage, type Webview } from "../../editor/page/Webview.ts"
import { maskText } from "../../words/Mask.ts"
import { type AnyEvent, identifiersOf, severityOf, sourceOfUid, titleOf, webAddress } from "../AnyEvent.ts"
import { EventCache } from "../EventCache.ts"
import { EventDetails } from "./EventDetails.ts"
import type { EventHead } from "./EventHtml.ts"
import { EventMessage } from "./EventMessage.ts"
import { neighboursOf } from "./EventNeighbours.ts"

const kind = "event"

const part = Effect.promise(() => import("./EventPart.ts"))

type Outcome = Result.Result<TypedEvent, Failure>

/**
 * State of a panel after the window reloads, before the event is loaded again: without the event's data and matches.
 */
const State = Schema.Struct({
  uid: Schema.String,
  /** Service of the annotations, which belong to one tenant. */
  service: Schema.optionalKey(Schema.String),
  /** The event and those that the page links to, as returned by searches. */
  known: Schema.optionalKey(Schema.Array(IdentifierEvent))
})
type State = typeof State.Type

export class EventPanels extends Context.Service<
  EventPanels,
  {
    /** Shows the event in the panel that was used last, or in a new one. */
    readonly open: (uid: string) => Effect.Effect<void>
  }
>()("threat-exposure/events/page/EventPanels") {
  static readonly layer = Layer.effect(
    EventPanels,
    Effect.gen(function* () {
      const editor = yield* Editor
      const profiles = yield* Profiles
      const settings = yield* Settings
      const pages = yield* Pages
      const cache = yield* EventCache
      const details = yield* EventDetails
      const detection = yield* Detection

      interface OpenPanel {
        readonly uid: () => string
        readonly goTo: (uid: string) => Effect.Effect<void>
      }
      /** The last used panel is last. */
      const panels = new Set<OpenPanel>()

      const headOf = (uid: string, masked: boolean, event: AnyEvent | undefined): EventHead => {
        if (event === undefined) {
          const title = masked ? maskText(uid) : uid
          return { uid, title, types: [], severity: "", reported: "", seenAt: null }
        }
        const { estimated_created_at: seenAt, severity: reported, type } = event.metadata
        return { uid, title: titleOf(event, masked).text, types: [type], severity: severityOf(event), reported, seenAt }
      }

      /** `outcome` is undefined while the event loads. */
      const show = Effect.fnUntraced(function* (webview: Webview, kept: State, outcome: Outcome | undefined) {
        const { adviceOf, eventDocument, eventHtml, failedHtml, loadingHtml, termsOf } = yield* part
        const masked = yield* settings.get(masking)
        const { known = [], uid } = kept
        const restored = known.filter((event) => cache.get(event.metadata.uid) === undefined)
        const seen = cache.get(uid) ?? restored.find((event) => event.metadata.uid === uid)
        const loaded = restored.length === 0 ? cache.all() : [...cache.all(), ...restored]
        const neighbours = neighboursOf(seen, loaded)
        const options = { now: yield* Clock.currentTimeMillis, masked, neighbours }
        const head = headOf(uid, masked, seen)
        const around = [seen, neighbours.newer, neighbours.older, ...neighbours.ofSource]
        const state = outcome === undefined ? kept : yield* stateOf(uid, around)
        const panel = { state, key: uid, title: head.title }
        if (outcome === undefined) return yield* webview.show({ ...panel, body: loadingHtml(head, options) })
        if (Result.isFailure(outcome)) {
          return yield* webview.show({ ...panel, body: failedHtml(head, options, problemOf(outcome.failure)) })
        }
        const detector = yield* detection.load
        const event = eventDocument(outcome.success, seen, { masked, secretsIn: detector.secretsIn })
        const body = eventHtml(event, {
          ...options,
          advice: adviceOf(outcome.success, event, detector),
          reveals: pages.reveals(kind, uid),
          terms: masked ? [] : termsOf(seen)
        })
        yield* webview.show({ ...panel, title: event.title, body })
      })

      const stateOf = Effect.fnUntraced(function* (uid: string, events: ReadonlyArray<AnyEvent | undefined>) {
        const connection = yield* profiles.now
        if (connection._tag === "SignedOut") return { uid }
        const { secretsIn } = yield* detection.load
        const known = events.flatMap((event) => (event === undefined ? [] : [withoutMatches(event, secretsIn)]))
        return { uid, service: serviceOf(connection.profile), known }
      })

      const showPage: ShowPage = (webview, state) =>
        Option.match(Schema.decodeUnknownOption(State)(state), {
          onNone: () => Effect.void,
          onSome: (kept) => Effect.provideService(Effect.scoped(run(webview, kept)), Editor, editor)
        })

      const run = Effect.fnUntraced(function* (webview: Webview, kept: State) {
        let { uid } = kept
        /** Events of the stored state; undefined if the profile leads to another service. */
        const restored = Effect.map(profiles.now, (connection) =>
          connection._tag !== "SignedOut" && kept.service === serviceOf(connection.profile) ? kept.known : undefined
        )
        const { cancel, draw, loadAnew, outcome } = yield* makePageContent(
          kind,
          Effect.suspend(() => details.get(uid)),
          Effect.fnUntraced(function* (outcome) {
            yield* show(webview, (yield* restored) === undefined ? { uid } : { ...kept, uid }, outcome)
          })
        )
        /** Puts the restored event into the cache, so that a change starts from what the page shows. */
        const noteRestored = Effect.gen(function* () {
          const event = (yield* restored)?.find(({ metadata }) => metadata.uid === uid)
          if (event !== undefined && cache.get(uid) === undefined) yield* cache.note([event])
        })

        const goTo = Effect.fnUntraced(function* (next: string) {
          uid = next
          yield* loadAnew
          yield* cache.noteOpened(next)
        })

        const panel: OpenPanel = { uid: () => uid, goTo }
        const use = Effect.sync(() => {
          panels.delete(panel)
          panels.add(panel)
        })
        yield* use
        yield* Effect.addFinalizer(() => Effect.sync(() => panels.delete(panel)))

        yield* loadAnew
        const changes: ReadonlyArray<Stream.Stream<unknown>> = [
          Stream.filter(pages.revealed, (page) => page.kind === kind && page.id === uid),
          settings.changesOf(masking),
          Stream.debounce(cache.changes, "200 millis"),
          agesChange(webview)
        ]
        yield* Stream.mergeAll(changes, { concurrency: "unbounded" }).pipe(
          Stream.runForEach(() => draw),
          Effect.forkScoped({ startImmediately: true })
        )
        yield* profiles.changes.pipe(
          Stream.runForEach(() => loadAnew),
          Effect.forkScoped({ startImmediately: true })
        )

        yield* Stream.runForEach(messagesOf(webview, EventMessage), (message) =>
          Effect.andThen(
            use,
            Effect.suspend(() => {
              switch (message._tag) {
                case "Run":
                  // Runs in the background, because the command may ask the person something.
                  return Effect.andThen(
                    noteRestored,
                    Effect.forkScoped(editor.execute(`threatExposure.${message.command}`, uid))
                  )
                case "OpenInBrowser":
                  return Effect.forEach(linkOf(outcome()), editor.openInBrowser)
                case "OpenIdentifier":
                  return editor.execute("threatExposure.identifiers.openPage", message.id)
                case "OpenPage":
                  return Effect.flatMap(part, ({ pageOf }) =>
                    Effect.forEach(ofEvent(outcome(), pageOf), editor.openInBrowser)
                  )
                case "SearchAccount":
                  // Runs in the background, because it waits for the service.
                  return Effect.flatMap(part, ({ accountOf }) =>
                    Effect.forEach(ofEvent(outcome(), accountOf), (account) =>
                      Effect.forkScoped(editor.execute("threatExposure.credentials.searchAccount", account))
                    )
                  )
                case "Copy":
                  return message.what === "uid"
                    ? editor.copy(uid)
                    : message.what === "link"
                      ? Effect.forEach(linkOf(outcome()), editor.copy)
                      : copyJson(outcome())
                case "Reveal":
                  return pages.reveal(Option.some({ kind, id: uid, secret: message.secret }), message.isRevealed)
                case "GoTo":
                  return goTo(message.uid)
                case "ShowSource":
                  return editor.execute("threatExposure.events.showSelection", { source: sourceOfUid(uid) })
                case "Cancel":
                  return cancel
                case "Retry":
                  return loadAnew
                case "ShowLog":
                  return editor.showLog
                case "SignIn":
                  // Runs in the background, because the command asks the person something.
                  return Effect.forkScoped(editor.execute("threatExposure.signIn"))
              }
            })
          )
        )
      })

      const copyJson = Effect.fnUntraced(function* (outcome: Outcome | undefined) {
        if (outcome === undefined || Result.isFailure(outcome)) return
        const masked = yield* settings.get(masking)
        const { eventJson } = yield* part
        const { secretsIn } = yield* detection.load
        yield* editor.copy(eventJson(outcome.success, { masked, secretsIn }))
      })

      yield* editor.webview(kind, showPage)

      return EventPanels.of({
        open: Effect.fnUntraced(function* (uid) {
          const all = [...panels]
          const open = all.find((panel) => panel.uid() === uid)
          if (open === undefined) yield* all.at(-1)?.goTo(uid) ?? Effect.void
          const masked = yield* settings.get(masking)
          yield* editor.openWebview(kind, {
            key: uid,
            title: headOf(uid, masked, cache.get(uid)).title,
            state: { uid }
          })
        })
      })
    })
  )
}

/** Removes matched passages, and secrets in the title and the notes. */
const withoutMatches = (event: AnyEvent, secretsIn: FindSecrets): IdentifierEvent => {
  const { title, ...metadata } = event.metadata
  const { notes } = event.tenant_metadata
  return {
    metadata: { ...metadata, ...(title === undefined ? {} : { title: withoutSecrets(title, secretsIn(title)) }) },
    tenant_metadata: {
      ...event.tenant_metadata,
      notes: notes === null ? null : withoutSecrets(notes, secretsIn(notes))
    },
    highlights: {},
    identifiers: identifiersOf(event)
  }
}

const ofEvent = (
  outcome: Outcome | undefined,
  read: (event: TypedEvent) => string | undefined
): ReadonlyArray<string> => {
  const found = outcome === undefined || Result.isFailure(outcome) ? undefined : read(outcome.success)
  return found === undefined ? [] : [found]
}

const linkOf = (outcome: Outcome | undefined) =>
  ofEvent(outcome, ({ metadata }) => webAddress(metadata.svc_url ?? undefined))

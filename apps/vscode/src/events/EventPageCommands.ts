/** The page of an event, and the ways to it: its row, its uid, a link, and a search box. */
import { Events } from "@threat-exposure/core/client/Events"
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Effect, Layer, Predicate, Stream } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Detection } from "../detection/Detection.ts"
import { NotPossible, problemOf } from "../editor/Problem.ts"
import { Pages } from "../editor/Pages.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { keptFilter } from "./EventFilter.ts"
import { eventPage, termsOf } from "./EventPage.ts"
import { severityIcon } from "./EventRow.ts"
import { EventListings } from "./EventListings.ts"
import { EventSubject } from "./EventSubjects.ts"
import { EventCache } from "./EventCache.ts"
import { faultOfUid, uidIn } from "./EventUid.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localTime } from "../words/Dates.ts"
import { severityOf, titleOf, webAddress } from "./AnyEvent.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const settings = yield* Settings
    const source = yield* EventListings
    const seen = yield* EventCache
    const pages = yield* Pages
    const detection = yield* Detection

    yield* commands.on(
      "events.search",
      Effect.fnUntraced(function* () {
        const uid = yield* editor.search(
          {
            title: t("Search Events"),
            placeholder: t("At least three letters; each search uses quota"),
            pause: 600,
            atLeast: 3
          },
          (text) =>
            Effect.gen(function* () {
              const masked = yield* settings.get(masking)
              const filter = yield* Effect.provideService(keptFilter, Editor, editor)
              const listing = yield* source.ofSearch({ query: { type: "query_string", query_string: text } }, filter)
              const { items } = yield* listing.first
              return items.length === 0
                ? [{ label: t("No events match."), value: "" }]
                : items.map((event) => ({
                    label: masked ? nameOfType(event.metadata.type) : titleOf(event).text,
                    description: `${t(severityOf(event))} · ${nameOfType(event.metadata.type)}`,
                    detail: localTime(event.metadata.estimated_created_at),
                    icon: severityIcon(severityOf(event)).id,
                    value: event.metadata.uid
                  }))
            }).pipe(
              Effect.catch((failure) =>
                Effect.as(editor.log("error", `search: ${failure.message}`), [
                  { label: problemOf(failure).message, value: "" }
                ])
              )
            )
        )
        if (uid !== "") yield* open(uid)
      })
    )

    const open = Effect.fnUntraced(function* (uid: string) {
      const event = seen.get(uid)
      const masked = yield* settings.get(masking)
      const title = event === undefined ? uid : masked ? nameOfType(event.metadata.type) : titleOf(event).text
      yield* pages.open("event", uid, title)
      yield* seen.noteOpened(uid)
    })

    yield* commands.on("events.openPage", ({ args: [uid] }) => (Predicate.isString(uid) ? open(uid) : Effect.void))

    yield* commands.on(
      "events.goTo",
      Effect.fnUntraced(function* () {
        const uid = yield* editor.ask({
          title: t("Go to Event"),
          prompt: t("The event's uid, such as leak/source/1234"),
          check: (text) => faultOfUid(uidIn(text))
        })
        yield* open(uidIn(uid))
      })
    )
    yield* editor.onUri((path) => {
      const uid = path.startsWith("/event/") ? path.slice("/event/".length).trim() : ""
      return faultOfUid(uid) === undefined
        ? Effect.catchTag(open(uid), "Cancelled", () => Effect.void)
        : Effect.asVoid(
            Effect.forkDetach(
              editor.notify(
                "warning",
                t("This link names no event: it must end in /event/ and a uid, such as leak/source/1234.")
              )
            )
          )
    })

    yield* commands.on("events.openInBrowser", ({ subjects }) =>
      Effect.forEach(ofKind(subjects, EventSubject), ({ event }) => {
        const url = webAddress(event.metadata.svc_url)
        return url === undefined ? Effect.void : editor.openInBrowser(url)
      })
    )

    const details = new Map<string, TypedEvent>()
    yield* profiles.changes.pipe(
      Stream.runForEach(() => Effect.sync(() => details.clear())),
      Effect.forkScoped
    )
    yield* pages.renderedBy(
      "event",
      Effect.fnUntraced(function* (uid, reveals) {
        const event =
          details.get(uid) ??
          (yield* connections
            .ask(Effect.flatMap(Events, (events) => events.get(uid)))
            .pipe(Effect.catchTag("NotFound", () => new NotPossible({ message: t("Event not found.") }))))
        details.set(uid, event)
        const first = details.keys().next().value
        if (details.size > mostDetails && first !== undefined) details.delete(first)
        const masked = yield* settings.get(masking)
        return {
          written: eventPage(event, seen.get(uid), {
            reveals,
            masked,
            secretsIn: (yield* detection.load).secretsIn
          }),
          terms: masked ? [] : termsOf(seen.get(uid))
        }
      })
    )
  })
)

/** Details of so many events are kept for pages that are drawn again. */
const mostDetails = 50

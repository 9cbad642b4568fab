/** Commands that open the page of an event: by row, uid, link, or a search box. */
import { Effect, Layer, Predicate } from "effect"
import { type Call, Commands, ofKind } from "../../editor/Commands.ts"
import { Editor } from "../../editor/Editor.ts"
import { t } from "../../words/Localisation.ts"
import { Detection } from "../../detection/Detection.ts"
import { problemOf } from "../../editor/Problem.ts"
import { Pages } from "../../editor/page/Pages.ts"
import { masking, Settings } from "../../editor/Settings.ts"
import { filled } from "../../editor/form/Validation.ts"
import { keptFilter } from "../search/EventFilter.ts"
import { EventDetails } from "./EventDetails.ts"
import { EventPanels } from "./EventPanels.ts"
import { severityIcon } from "../list/EventRow.ts"
import { EventListings } from "../list/EventListings.ts"
import { EventSubject } from "../EventSubjects.ts"
import { EventCache } from "../EventCache.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { localTime } from "../../words/Dates.ts"
import { severityOf, titleOf, webAddress } from "../AnyEvent.ts"

const part = Effect.promise(() => import("./EventPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const source = yield* EventListings
    const seen = yield* EventCache
    const details = yield* EventDetails
    const panels = yield* EventPanels
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
                    label: titleOf(event, masked).text,
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
      yield* panels.open(uid)
      yield* seen.noteOpened(uid)
    })

    const documentOf = Effect.fnUntraced(function* (uid: string) {
      const { eventDocument } = yield* part
      const event = yield* details.get(uid)
      const options = { masked: yield* settings.get(masking), secretsIn: (yield* detection.load).secretsIn }
      return { event, options, document: eventDocument(event, seen.get(uid), options) }
    })

    const uidOf = ({ args: [first], subjects }: Call) =>
      Predicate.isString(first) ? first : ofKind(subjects, EventSubject)[0]?.event.metadata.uid

    const openText = (kind: "event" | "eventJson") =>
      Effect.fnUntraced(function* (call: Call) {
        const uid = uidOf(call)
        if (uid === undefined) return
        const event = seen.get(uid)
        const masked = yield* settings.get(masking)
        const title = event === undefined ? uid : titleOf(event, masked).text
        yield* pages.open(kind, uid, title)
        yield* seen.noteOpened(uid)
      })
    yield* commands.on("events.openMarkdown", openText("event"))
    yield* commands.on("events.openJson", openText("eventJson"))
    yield* commands.on(
      "events.checkValues",
      Effect.fnUntraced(function* (call) {
        const uid = uidOf(call)
        if (uid === undefined) return
        const event = yield* editor.progress(t("Loading the event…"), () => details.get(uid))
        const { checkValues, eventDocument } = yield* part
        const detector = yield* detection.load
        // Search for the values themselves, even if masking is on.
        const whole = eventDocument(event, seen.get(uid), { masked: false, secretsIn: detector.secretsIn })
        yield* Effect.provideService(checkValues(whole, detector), Editor, editor)
      })
    )

    yield* commands.on("events.openPage", ({ args: [uid] }) => (Predicate.isString(uid) ? open(uid) : Effect.void))

    yield* commands.on(
      "events.goTo",
      Effect.fnUntraced(function* () {
        const uid = yield* editor.ask({
          title: t("Go to Event"),
          prompt: t("UID of the event, such as leak/source/1234"),
          check: (text) => faultOfUid(uidIn(text))
        })
        yield* open(uidIn(uid))
      })
    )
    yield* editor.onUri((path) => {
      const uid = path.startsWith("/event/") ? path.slice("/event/".length).trim() : ""
      return faultOfUid(uid) === undefined
        ? open(uid)
        : Effect.asVoid(
            Effect.forkDetach(
              editor.notify(
                "warning",
                t("This link does not name an event: it must end in /event/ and a UID, such as leak/source/1234.")
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

    yield* pages.renderedBy(
      "event",
      Effect.fnUntraced(function* (uid, reveals) {
        const { adviceOf, eventMarkdown, termsOf } = yield* part
        const { document, event, options } = yield* documentOf(uid)
        const advice = adviceOf(event, document, yield* detection.load)
        return {
          written: eventMarkdown(document, reveals, advice),
          terms: options.masked ? [] : termsOf(seen.get(uid))
        }
      })
    )
    yield* pages.renderedBy(
      "eventJson",
      Effect.fnUntraced(function* (uid) {
        const { eventJson } = yield* part
        const { event, options } = yield* documentOf(uid)
        return { written: { text: eventJson(event, options), secretLines: [] } }
      })
    )
  })
)

/** The uid in a typed or pasted text, which may be a link to this extension. */
export const uidIn = (text: string): string => {
  const link = /^[\w+.-]+:\/\/threat-exposure\.threat-exposure\/event\/([^?#]+)/u.exec(text.trim())?.[1]
  if (link === undefined) return text.trim()
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}

/** The fault of a uid; undefined if it is valid. */
export const faultOfUid = (uid: string): string | undefined => {
  if (/^[\w+.-]+:\/\//u.test(uid)) return t("This is a URL; a UID looks like leak/source/1234")
  if (/[\p{Cc}\p{Cf}]/u.test(uid) || uid.length > maxUidLength) return t("This is not a UID, such as leak/source/1234")
  return filled(uid)
}

const maxUidLength = 1000

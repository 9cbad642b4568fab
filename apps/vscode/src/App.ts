/** Everything the extension does, as one layer over an editor and whoever is signed in. */
import { Effect, Layer, Option, Predicate } from "effect"
import { Commands } from "./Commands.ts"
import { Connections } from "./connection/Connections.ts"
import * as SignIn from "./connection/SignIn.ts"
import { Editor } from "./Editor.ts"
import { EventSource } from "./events/EventSource.ts"
import * as EventPages from "./events/EventPages.ts"
import { webAddress } from "./events/EventRow.ts"
import * as EventsView from "./events/EventsView.ts"
import * as SavedSearches from "./events/SavedSearches.ts"
import * as CredentialSearches from "./credentials/CredentialSearches.ts"
import * as EventExports from "./exports/EventExports.ts"
import { Exports } from "./exports/Exports.ts"
import * as Requests from "./requests/Requests.ts"
import * as LanguageModelTools from "./tools/LanguageModelTools.ts"
import { SeenEvents } from "./events/SeenEvents.ts"
import * as IdentifierCommands from "./identifiers/IdentifierCommands.ts"
import * as IdentifiersView from "./identifiers/IdentifiersView.ts"
import { Register } from "./identifiers/Register.ts"
import * as PoliciesView from "./policies/PoliciesView.ts"
import * as RecommendationsView from "./recommendations/RecommendationsView.ts"
import * as LeakCheckView from "./leaks/LeakCheckView.ts"
import * as LeakFindings from "./leaks/LeakFindings.ts"
import * as Typing from "./leaks/Typing.ts"
import { LeakChecks } from "./leaks/LeakChecks.ts"
import { Pages } from "./pages/Pages.ts"
import { Settings } from "./Settings.ts"
import { copied } from "./tree/Subject.ts"
import { Trees } from "./tree/Trees.ts"

const rows = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const editor = yield* Editor
    const pages = yield* Pages
    const trees = yield* Trees

    yield* commands.on("retry", ({ subjects: [chosen], args: [name] }) => {
      const subject = chosen ?? (Predicate.isString(name) ? trees.row(name)?.subject : undefined)
      return subject?._tag === "Problem" ? subject.again : Predicate.isString(name) ? pages.again(name) : Effect.void
    })
    yield* commands.on("events.loadMore", ({ args: [id] }) => {
      const subject = Predicate.isString(id) ? trees.row(id)?.subject : undefined
      return subject?._tag === "More" ? subject.load : Effect.void
    })
    yield* commands.on("showProblem", () => editor.showLog)
    yield* commands.on("copyId", ({ subjects }) =>
      copy(subjects.flatMap((subject) => copied(subject)?.id ?? []).join("\n"))
    )
    yield* commands.on("copyLink", ({ subjects }) =>
      copy(subjects.flatMap((subject) => webAddress(copied(subject)?.link) ?? []).join("\n"))
    )
    yield* commands.on("copyJson", ({ subjects }) => {
      const values = subjects.flatMap((subject) => copied(subject)?.json ?? [])
      return copy(values.length === 0 ? "" : JSON.stringify(values.length === 1 ? values[0] : values, undefined, 2))
    })
    const copy = (text: string) => (text === "" ? Effect.void : editor.copy(text))
    const secretOf = ([path, secret]: ReadonlyArray<unknown>) =>
      Predicate.isString(path) && Predicate.isNumber(secret) ? Option.some({ path, secret }) : Option.none()
    yield* commands.on("revealSecret", ({ args }) => pages.reveal(secretOf(args), true))
    yield* commands.on("hideSecret", ({ args }) => pages.reveal(secretOf(args), false))
  })
)

const services = Layer.mergeAll(Trees.layer, Pages.layer, EventSource.layer, LeakChecks.layer, Exports.layer).pipe(
  Layer.provideMerge(Commands.layer),
  Layer.provideMerge(SeenEvents.layer),
  Layer.provideMerge(Register.layer),
  Layer.provideMerge(Connections.layer),
  Layer.provideMerge(Settings.layer)
)

export const layer = Layer.mergeAll(
  rows,
  SignIn.layer,
  EventsView.layer,
  SavedSearches.layer,
  EventPages.layer,
  IdentifiersView.layer,
  IdentifierCommands.layer,
  PoliciesView.layer,
  RecommendationsView.layer,
  LeakCheckView.layer,
  LeakFindings.layer,
  Typing.layer,
  CredentialSearches.layer,
  EventExports.layer,
  Requests.layer,
  LanguageModelTools.layer
).pipe(Layer.provide(services))

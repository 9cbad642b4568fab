/** Everything the extension does, as one layer over an editor and whoever is signed in. */
import { Effect, Layer, Option, Predicate } from "effect"
import { Commands } from "./editor/Commands.ts"
import { Connections } from "./connection/Connections.ts"
import * as SignIn from "./connection/SignIn.ts"
import { Editor } from "./editor/Editor.ts"
import { EventListings } from "./events/EventListings.ts"
import * as EventPages from "./events/EventPageCommands.ts"
import { webAddress } from "./events/EventRow.ts"
import * as EventsView from "./events/EventsView.ts"
import * as SavedSearches from "./events/SavedSearchCommands.ts"
import * as CredentialSearches from "./credentials/CredentialSearches.ts"
import * as EventExports from "./exports/EventExportCommands.ts"
import { Exports } from "./exports/Exports.ts"
import * as Requests from "./requests/RequestCommands.ts"
import * as LanguageModelTools from "./tools/LanguageModelTools.ts"
import { EventCache } from "./events/EventCache.ts"
import * as IdentifierCommands from "./identifiers/IdentifierCommands.ts"
import * as IdentifiersView from "./identifiers/IdentifiersView.ts"
import { Register } from "./register/Register.ts"
import * as PoliciesView from "./policies/PoliciesView.ts"
import * as RecommendationsView from "./recommendations/RecommendationsView.ts"
import * as LeakCheckView from "./leaks/LeakCheckView.ts"
import * as LeakFindings from "./leaks/LeakDiagnostics.ts"
import * as AsYouTypeDetection from "./leaks/AsYouTypeDetection.ts"
import { LeakChecks } from "./leaks/LeakChecks.ts"
import { Pages } from "./editor/Pages.ts"
import { Settings } from "./editor/Settings.ts"
import { copied } from "./editor/Subject.ts"
import { Trees } from "./editor/Trees.ts"

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

const services = Layer.mergeAll(Trees.layer, Pages.layer, EventListings.layer, LeakChecks.layer, Exports.layer).pipe(
  Layer.provideMerge(Commands.layer),
  Layer.provideMerge(EventCache.layer),
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
  AsYouTypeDetection.layer,
  CredentialSearches.layer,
  EventExports.layer,
  Requests.layer,
  LanguageModelTools.layer
).pipe(Layer.provide(services))

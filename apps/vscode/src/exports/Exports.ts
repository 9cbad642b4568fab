/** Runs exports with progress, reports their outcome, and resumes unfinished ones. */
import { Events } from "@threat-exposure/core/client/Events"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { credentialPages } from "../credentials/CredentialRequest.ts"
import { fileName } from "../editor/Uri.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { admitsState, forGlobalSearch, forIdentifier } from "../events/search/EventFilter.ts"
import { count, number, t } from "../words/Localisation.ts"
import { type Failure, NotPossible, problemOf } from "../editor/Problem.ts"
import { formatOfCredentials } from "./CredentialFormats.ts"
import { formatOfEvents } from "./EventFormats.ts"
import { type Exported, exportFrom } from "./ExportWriter.ts"
import type { ExportRequest, UnfinishedExport } from "./UnfinishedExport.ts"
import { UnfinishedExports } from "./UnfinishedExports.ts"
import type { AnyEvent } from "../events/AnyEvent.ts"

export class Exports extends Context.Service<
  Exports,
  {
    readonly start: (
      request: ExportRequest,
      options: { readonly maxItems: number; readonly uri: string }
    ) => Effect.Effect<void, Failure | Cancelled>
    /** Continues an unfinished export; asks which one if there are several. */
    readonly resume: Effect.Effect<void, Failure | Cancelled>
  }
>()("threat-exposure/exports/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const editor = yield* Editor
      const profiles = yield* Profiles
      const unfinished = yield* UnfinishedExports
      const context = yield* Effect.context<Connections | Editor>()

      const run = (from: UnfinishedExport): Effect.Effect<void, NotPossible> =>
        Effect.gen(function* () {
          if (unfinished.isRunning(from.uri)) {
            return yield* new NotPossible({ message: t("Another export is writing to {0}.", fileName(from.uri)) })
          }
          let at = from
          const work = (say: (message: string) => Effect.Effect<void>) =>
            withListing(from.request, (listing) =>
              exportFrom(listing, from, {
                read: (items) => say(t("{0} read", number(items))),
                keep: (next) => {
                  at = next
                  return unfinished.keep(next)
                }
              })
            )
          const failure = yield* unfinished.during(
            from.uri,
            editor.progress(titleOf(from.request), work).pipe(
              Effect.provideContext(context),
              Effect.as(undefined),
              Effect.catch((failure) => Effect.succeed(failure))
            )
          )
          yield* Effect.forkDetach(failure === undefined ? tellDone(at) : tellUnfinished(at, failure))
        })

      const resumeExport = Effect.fnUntraced(function* (chosen: UnfinishedExport) {
        const connection = yield* profiles.now
        if (connection._tag === "SignedIn" && connection.profile.name !== chosen.profile) {
          return yield* new NotPossible({
            message: t("This export was started with the profile “{0}”. Switch to it first.", chosen.profile)
          })
        }
        yield* run(chosen)
      })

      const tellDone = Effect.fnUntraced(function* ({ request, uri, written }: UnfinishedExport) {
        yield* unfinished.drop(uri)
        const file = fileName(uri)
        const done =
          request._tag === "Credentials"
            ? count(written, "{0} credential was exported to {1}.", "{0} credentials were exported to {1}.", file)
            : count(written, "{0} event was exported to {1}.", "{0} events were exported to {1}.", file)
        const answer = yield* editor.notify("info", done, t("Open"))
        if (Option.isNone(answer)) return
        yield* editor
          .openText(uri)
          .pipe(Effect.catch((failure) => Effect.asVoid(editor.notify("error", problemOf(failure).message))))
      })

      const tellUnfinished = Effect.fnUntraced(function* (at: UnfinishedExport, failure: Failure | Cancelled) {
        const why = failure._tag === "Cancelled" ? t("The export was cancelled.") : problemOf(failure).message
        if (failure._tag !== "Cancelled") yield* editor.log("error", `export: ${failure._tag}: ${failure.message}`)
        const waiting = Effect.map(unfinished.all, (all) => all.find(({ uri }) => uri === at.uri))
        if ((yield* waiting) === undefined) {
          yield* editor.notify("error", why)
          return
        }
        const file = fileName(at.uri)
        const kept =
          at.request._tag === "Credentials"
            ? count(at.written, "{0} credential is in {1}.", "{0} credentials are in {1}.", file)
            : count(at.written, "{0} event is in {1}.", "{0} events are in {1}.", file)
        const answer = yield* editor.notify("warning", `${why} ${kept}`, t("Resume"))
        // Another command may have resumed it while the message was shown.
        const still = yield* waiting
        if (Option.isNone(answer) || still === undefined) return
        yield* resumeExport(still).pipe(
          Effect.catch((failure) => Effect.asVoid(editor.notify("error", problemOf(failure).message)))
        )
      })

      const resume = Effect.gen(function* () {
        const all = yield* unfinished.all
        const [first] = all
        if (first === undefined) return yield* new NotPossible({ message: t("No export to resume.") })
        yield* resumeExport(
          all.length === 1
            ? first
            : yield* editor.pick(
                all.map((each) => ({
                  label: fileName(each.uri),
                  description: t("{0} written", number(each.written)),
                  detail: titleOf(each.request),
                  icon: "save",
                  value: each
                })),
                { title: t("Resume Export") }
              )
        )
      })

      return Exports.of({
        start: Effect.fnUntraced(function* (request, { maxItems, uri }) {
          const { connection } = yield* profiles.current
          yield* run({ profile: connection.profile.name, request, maxItems, uri, written: 0, end: 0, source: 0 })
        }),
        resume
      })
    })
  ).pipe(Layer.provide(UnfinishedExports.layer))
}

const titleOf = (request: ExportRequest) =>
  request._tag === "Credentials" ? t("Export Credentials") : t("Export Events")

/** Passes the listing of a request to `use`, which is generic in the type of items. */
const withListing = <R>(request: ExportRequest, use: <A>(listing: Exported<A>) => R): R => {
  switch (request._tag) {
    case "Credentials":
      return use<Credential>({
        sources: [(from) => credentialPages(request.request, from)],
        format: formatOfCredentials(request.format, request.isClear),
        key: ({ id }) => String(id)
      })
    case "EventsOfSearch":
      return use<AnyEvent>({
        ...events(request.format),
        sources: [
          (from) => {
            const { query, filters, order } = request.search
            return Stream.unwrap(
              Effect.map(Events, (service) =>
                service.pages({ query, order, from, filters: forGlobalSearch(filters ?? {}) })
              )
            ).pipe(
              Stream.map((page) => ({
                ...page,
                items: page.items.filter((event) => admitsState(filters ?? {}, event))
              }))
            )
          }
        ]
      })
    case "EventsOfIdentifiers": {
      const filters = forIdentifier(request.filters ?? {})
      return use<AnyEvent>({
        ...events(request.format),
        sources: (filters === undefined ? [] : request.identifiers).map(
          (id) => (from) =>
            Stream.unwrap(Effect.map(Events, (service) => service.pagesOfIdentifier(id, { filters, from })))
        )
      })
    }
  }
}

const events = (format: Parameters<typeof formatOfEvents>[0]) => ({
  format: formatOfEvents(format),
  // An event that matches several identifiers is returned once for each.
  key: ({ metadata }: AnyEvent) => metadata.uid
})

/** Runs exports with progress, says how they end, and goes on with those that were halted. */
import { Events } from "@threat-exposure/core/client/Events"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Commands } from "../Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { credentialPages } from "../credentials/CredentialRequest.ts"
import { type Cancelled, Editor } from "../Editor.ts"
import { forGlobalSearch } from "../events/EventFilter.ts"
import type { AnyEvent } from "../events/EventRow.ts"
import { count, t } from "../Localisation.ts"
import { type Failure, NotPossible, problemOf } from "../Problem.ts"
import { formatOfCredentials } from "./CredentialFormats.ts"
import { formatOfEvents } from "./EventFormats.ts"
import { type Exported, exportFrom } from "./Exporting.ts"
import type { ExportRequest, HaltedExport } from "./HaltedExport.ts"
import { HaltedExports } from "./HaltedExports.ts"

export class Exports extends Context.Service<
  Exports,
  {
    readonly start: (
      request: ExportRequest,
      options: { readonly most: number; readonly uri: string }
    ) => Effect.Effect<void, Failure | Cancelled>
  }
>()("threat-exposure/exports/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const editor = yield* Editor
      const commands = yield* Commands
      const profiles = yield* Profiles
      const halted = yield* HaltedExports
      const context = yield* Effect.context<Connections | Editor>()

      const run = (from: HaltedExport): Effect.Effect<void> =>
        Effect.gen(function* () {
          let at = from
          const work = (say: (message: string) => Effect.Effect<void>) => {
            const keep = (next: HaltedExport) => {
              at = next
              return Effect.andThen(halted.keep(next), say(count(next.written, "{0} written", "{0} written")))
            }
            return exported(from.request, (listing) => exportFrom(listing, from, keep))
          }
          const failure = yield* halted.during(
            from.uri,
            editor.progress(titleOf(from.request), work).pipe(
              Effect.provideContext(context),
              Effect.as(undefined),
              Effect.catch((failure) => Effect.succeed(failure))
            )
          )
          yield* Effect.forkDetach(failure === undefined ? tellDone(at) : tellHalted(at, failure))
        })

      const tellDone = Effect.fnUntraced(function* ({ uri, written }: HaltedExport) {
        yield* halted.drop(uri)
        const answer = yield* editor.notify("info", count(written, "{0} exported.", "{0} exported."), t("Open"))
        if (Option.isSome(answer)) yield* Effect.ignore(editor.openText(uri))
      })

      const tellHalted = Effect.fnUntraced(function* (at: HaltedExport, failure: Failure | Cancelled) {
        const why = failure._tag === "Cancelled" ? t("Cancelled.") : problemOf(failure).message
        if (failure._tag !== "Cancelled") yield* editor.log("error", `export: ${failure._tag}: ${failure.message}`)
        const kept = count(at.written, "{0} is in the file.", "{0} are in the file.")
        const answer = yield* editor.notify("warning", `${why} ${kept}`, t("Resume"))
        if (Option.isNone(answer)) return
        // It may have been resumed elsewhere while the message stood there.
        const still = (yield* halted.all).find(({ uri }) => uri === at.uri)
        if (still !== undefined) yield* run(still)
      })

      yield* commands.on(
        "exports.resume",
        Effect.fnUntraced(function* () {
          const all = yield* halted.all
          const [first] = all
          if (first === undefined) return yield* new NotPossible({ message: t("No export waits to be resumed.") })
          const chosen =
            all.length === 1
              ? first
              : yield* editor.pick(
                  all.map((each) => ({
                    label: nameOf(each.uri),
                    description: count(each.written, "{0} written", "{0} written"),
                    detail: titleOf(each.request),
                    icon: "save",
                    value: each
                  })),
                  { title: t("Resume Export") }
                )
          const connection = yield* profiles.now
          if (connection._tag === "SignedIn" && connection.profile.name !== chosen.profile) {
            return yield* new NotPossible({
              message: t("This export was begun with the profile {0}: switch to it first.", chosen.profile)
            })
          }
          yield* run(chosen)
        })
      )

      return Exports.of({
        start: Effect.fnUntraced(function* (request, { most, uri }) {
          const { connection } = yield* profiles.current
          yield* run({ profile: connection.profile.name, request, most, uri, written: 0, end: 0, source: 0 })
        })
      })
    })
  ).pipe(Layer.provide(HaltedExports.layer))
}

const nameOf = (uri: string) => decodeURIComponent(uri.split("/").at(-1) ?? uri)

const titleOf = (request: ExportRequest) =>
  request._tag === "Credentials" ? t("Export Credentials") : t("Export Events")

/** Hands what a request asks for to `use`, whatever its items are. */
const exported = <R>(request: ExportRequest, use: <A>(listing: Exported<A>) => R): R => {
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
            )
          }
        ]
      })
    case "EventsOfIdentifiers":
      return use<AnyEvent>({
        ...events(request.format),
        sources: request.identifiers.map(
          (id) => (from) => Stream.unwrap(Effect.map(Events, (service) => service.pagesOfIdentifier(id, { from })))
        )
      })
  }
}

const events = (format: Parameters<typeof formatOfEvents>[0]) => ({
  format: formatOfEvents(format),
  // One that was matched to several identifiers comes once for each.
  key: ({ metadata }: AnyEvent) => metadata.uid
})

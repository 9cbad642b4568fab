/** Panels with the results of a credential search, and with one credential. */
import { Clock, Context, DateTime, Effect, Fiber, Layer, Option, Result, Schema, type Scope, Stream } from "effect"
import { Detection } from "../detection/Detection.ts"
import { Editor } from "../editor/Editor.ts"
import { Pages } from "../editor/page/Pages.ts"
import { type Failure, problemOf, Stopped } from "../editor/Problem.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { agesChange, messagesOf, type ShowPage, type Webview } from "../editor/page/Webview.ts"
import { t } from "../words/Localisation.ts"
import { accountName } from "../words/Mask.ts"
import { CredentialMessage } from "./CredentialMessage.ts"
import type { SearchFields, SearchState, TableView } from "./CredentialPart.ts"
import { CredentialSearches, describeQuery } from "./CredentialSearches.ts"

const part = Effect.promise(() => import("./CredentialPart.ts"))

/** Id of a search that was not sent yet. */
const newSearch = "new"

/** State of a panel: the id of a search or of one of its results. */
const State = Schema.Struct({ id: Schema.String })

export class CredentialPanels extends Context.Service<
  CredentialPanels,
  {
    /** Opens the form of a search; sends nothing. */
    readonly openForm: Effect.Effect<void>
    readonly openSearch: (search: string) => Effect.Effect<void>
    /** Shows the credential in the panel that was used last, or in a new one if none is open. */
    readonly openCredential: (id: string) => Effect.Effect<void>
  }
>()("threat-exposure/credentials/CredentialPanels") {
  static readonly layer = Layer.effect(
    CredentialPanels,
    Effect.gen(function* () {
      const editor = yield* Editor
      const settings = yield* Settings
      const pages = yield* Pages
      const detection = yield* Detection
      const searches = yield* CredentialSearches

      const changesOf = (webview: Webview): Stream.Stream<unknown> =>
        Stream.merge(searches.changes, settings.changesOf(masking)).pipe(Stream.merge(agesChange(webview)))

      const titleOf = Effect.fnUntraced(function* (search: string, masked: boolean) {
        if (search === newSearch) return t("Search Credentials")
        const query = searches.get(search)?.request.query ?? (yield* searches.kept(search))?.query
        return query === undefined ? t("Search Credentials") : t("Credentials: {0}", describeQuery(query, masked))
      })

      const shows =
        (run: (webview: Webview, id: string) => Effect.Effect<void, never, Scope.Scope>): ShowPage =>
        (webview, state) =>
          Option.match(Schema.decodeUnknownOption(State)(state), {
            onNone: () => Effect.void,
            onSome: ({ id }) => Effect.scoped(run(webview, id))
          })

      const runSearch = Effect.fnUntraced(function* (webview: Webview, first: string) {
        const { credentialsHtml, defaultView, emptyForm, requestOf, valuesOf } = yield* part
        let id = first
        let view: TableView = defaultView
        let fields: SearchFields | undefined
        const scope = yield* Effect.scope
        let failure: Failure | undefined
        let loading: Fiber.Fiber<void> | undefined

        const stateOf = (): SearchState => {
          if (id === newSearch) return { _tag: "New" }
          if (searches.get(id) === undefined) return { _tag: "NotKept" }
          if (loading !== undefined) return { _tag: "Loading" }
          return failure === undefined ? { _tag: "Ready" } : { _tag: "Failed", problem: problemOf(failure) }
        }
        const draw = Effect.gen(function* () {
          const masked = yield* settings.get(masking)
          const listed = searches.get(id)?.listing.now() ?? { items: [], hasMore: false, asOf: undefined }
          const options = { now: yield* Clock.currentTimeMillis, masked }
          const request = searches.get(id)?.request ?? (yield* searches.kept(id))
          fields ??= { values: request === undefined ? emptyForm : valuesOf(request), faults: {} }
          const body = credentialsHtml(yield* titleOf(id, masked), listed, stateOf(), options, view, fields)
          yield* webview.show({ body, state: { id }, key: id, title: yield* titleOf(id, true) })
        })
        /** Loads the first page, or the next one. */
        const load = Effect.gen(function* () {
          if (loading !== undefined) return
          const search = yield* searches.restart(id)
          // A search by password is not stored, so the form asks for it again.
          if (search === undefined) {
            id = newSearch
            return yield* draw
          }
          const { listing } = search
          loading = yield* Effect.suspend(() => (listing.now().asOf === undefined ? listing.first : listing.more)).pipe(
            Effect.tapError(({ _tag, message }) => editor.log("error", `credentials page: ${_tag}: ${message}`)),
            Effect.result,
            Effect.flatMap((result) => {
              loading = undefined
              failure = Result.isFailure(result) ? result.failure : undefined
              return draw
            }),
            Effect.forkIn(scope)
          )
          yield* draw
        })
        const cancel = Effect.gen(function* () {
          if (loading === undefined) return
          yield* Fiber.interrupt(loading)
          loading = undefined
          failure = new Stopped()
          yield* draw
        })

        const search = Effect.fnUntraced(function* (values: SearchFields["values"]) {
          const given = requestOf(values, yield* DateTime.now)
          // The page keeps the typed values, but never contains a password.
          const shown = { ...values, text: values.type === "secret" ? "" : values.text }
          if ("faults" in given) {
            fields = { values: shown, faults: given.faults }
            return yield* draw
          }
          if (loading !== undefined) yield* Fiber.interrupt(loading)
          loading = undefined
          failure = undefined
          fields = { values: shown, faults: {} }
          view = defaultView
          id = (yield* searches.start(given.request)).id
          yield* load
        })

        // Opening the panel starts the search. After the window reloads, the person has to start it.
        const isStarted = searches.get(id)?.listing.now().asOf === undefined && searches.get(id) !== undefined
        yield* isStarted ? load : draw
        yield* changesOf(webview).pipe(
          Stream.runForEach(() => draw),
          Effect.forkScoped({ startImmediately: true })
        )
        yield* Stream.runForEach(messagesOf(webview, CredentialMessage), (message) => {
          switch (message._tag) {
            case "Search":
              return search(message.values)
            case "ChooseType":
              fields = { values: { ...(fields?.values ?? emptyForm), type: message.type, text: "" }, faults: {} }
              return draw
            case "Sort":
              view = { ...view, by: message.by, isDescending: view.by === message.by && !view.isDescending }
              return draw
            case "FilterResults":
              view = { ...view, filter: message.text }
              return draw
            case "Open":
              return openCredential(`${id}/${message.id}`)
            case "OpenEvent":
              return editor.execute("threatExposure.events.openPage", message.uid)
            case "OpenText":
              return openText(message.kind, id)
            case "Export":
              // Runs in the background, because the command asks the person something.
              return Effect.forkScoped(editor.execute("threatExposure.credentials.export", id))
            case "LoadMore":
            case "Again":
            case "Retry":
              return load
            case "Cancel":
              return cancel
            case "ShowLog":
              return editor.showLog
            case "SignIn":
              // Runs in the background, because the command asks the person something.
              return Effect.forkScoped(editor.execute("threatExposure.signIn"))
            default:
              return Effect.void
          }
        })
      })

      /** Navigation of each open panel; the last used one is last. */
      const open = new Set<(id: string) => Effect.Effect<void>>()

      const runCredential = Effect.fnUntraced(function* (webview: Webview, first: string) {
        let id = first
        const found = () => searches.credential(id)
        const options = Effect.gen(function* () {
          return { masked: yield* settings.get(masking), secretsIn: (yield* detection.load).secretsIn }
        })
        const draw = Effect.gen(function* () {
          const { credentialDocument, credentialHtml, goneHtml } = yield* part
          const one = found()
          const panel = { state: { id }, key: id }
          if (one === undefined) return yield* webview.show({ ...panel, title: t("Credential"), body: goneHtml() })
          const { masked, secretsIn } = yield* options
          const body = credentialHtml(
            { ...one, document: credentialDocument(one.item, { masked, secretsIn }) },
            { now: yield* Clock.currentTimeMillis, masked, reveals: pages.reveals("credential", id) }
          )
          yield* webview.show({ ...panel, title: accountName(one.item.identity_name, true), body })
        })
        const goTo = (next: string) =>
          Effect.suspend(() => {
            id = next
            return draw
          })
        const use = Effect.sync(() => {
          open.delete(goTo)
          open.add(goTo)
        })
        yield* use
        yield* Effect.addFinalizer(() => Effect.sync(() => open.delete(goTo)))

        yield* draw
        const revealed = Stream.filter(pages.revealed, (page) => page.kind === "credential" && page.id === id)
        yield* Stream.merge(changesOf(webview), revealed).pipe(
          Stream.runForEach(() => draw),
          Effect.forkScoped({ startImmediately: true })
        )
        yield* Stream.runForEach(messagesOf(webview, CredentialMessage), (message) =>
          Effect.andThen(
            use,
            Effect.gen(function* () {
              const [search = ""] = id.split("/")
              switch (message._tag) {
                case "Open":
                  return yield* goTo(`${search}/${message.id}`)
                case "OpenEvent":
                  return yield* editor.execute("threatExposure.events.openPage", message.uid)
                case "SearchAccount": {
                  const account = found()?.item.identity_name
                  if (account !== undefined) {
                    yield* Effect.forkScoped(editor.execute("threatExposure.credentials.searchAccount", account))
                  }
                  return
                }
                case "OpenResults":
                  return yield* openSearch(search)
                case "OpenText":
                  return yield* openText(message.kind, id)
                case "Reveal":
                  return yield* pages.reveal(
                    Option.some({ kind: "credential", id, secret: message.secret }),
                    message.isRevealed
                  )
                case "Copy": {
                  const item = found()?.item
                  if (item === undefined) return
                  const { credentialJson } = yield* part
                  return yield* editor.copy(
                    message.what === "account" ? item.identity_name : credentialJson(item, yield* options)
                  )
                }
                default:
                  return
              }
            })
          )
        )
      })

      const openText = Effect.fnUntraced(function* (kind: "credential" | "credentialJson" | "credentials", id: string) {
        const item = searches.credential(id)?.item
        const title = item === undefined ? yield* titleOf(id, true) : accountName(item.identity_name, true)
        yield* Effect.ignore(pages.open(kind, id, title))
      })

      const openSearch = Effect.fnUntraced(function* (id: string) {
        yield* editor.openWebview("credentials", { key: id, title: yield* titleOf(id, true), state: { id } })
      })

      const openCredential = Effect.fnUntraced(function* (id: string) {
        yield* [...open].at(-1)?.(id) ?? Effect.void
        const item = searches.credential(id)?.item
        const title = item === undefined ? t("Credential") : accountName(item.identity_name, true)
        yield* editor.openWebview("credential", { key: id, title, state: { id } })
      })

      yield* editor.webview("credentials", shows(runSearch))
      yield* editor.webview("credential", shows(runCredential))

      return CredentialPanels.of({ openForm: openSearch(newSearch), openSearch, openCredential })
    })
  )
}

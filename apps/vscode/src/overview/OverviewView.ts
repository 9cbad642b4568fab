/** The Overview view: draws its page from loaded data, draws it again after changes, and runs its actions. */
import { DateTime, Clock, Effect, Layer, Option, Predicate, Schema, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { CredentialPanels } from "../credentials/CredentialPanels.ts"
import { CredentialSearches } from "../credentials/CredentialSearches.ts"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { messagesOf, type ShowPage } from "../editor/page/Webview.ts"
import { EventCache } from "../events/EventCache.ts"
import * as eventSettings from "../events/EventSettings.ts"
import { LeakChecks } from "../leaks/check/LeakChecks.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import type { overviewBody } from "./OverviewBody.ts"
import { OverviewEvents } from "./OverviewEvents.ts"
import { OverviewFilter, defaultFilter, firstMonth } from "./OverviewFilter.ts"
import { OverviewMessage } from "./OverviewMessage.ts"
import { TenantEvents } from "./TenantEvents.ts"

const KeptVisit = Schema.UndefinedOr(Schema.Struct({ since: Schema.UndefinedOr(Schema.Finite), last: Schema.Finite }))

const part = Effect.promise(() => import("./OverviewPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const cache = yield* EventCache
    const checks = yield* LeakChecks
    const commands = yield* Commands
    const loading = yield* OverviewEvents
    const accounts = yield* CredentialPanels
    const { healthChanges } = yield* Connections
    const profiles = yield* Profiles
    const register = yield* Register
    const searches = yield* CredentialSearches
    const settings = yield* Settings
    const tenant = yield* TenantEvents

    /** End of the previous visit of the signed-in profile. */
    const visit = Effect.gen(function* () {
      const connection = yield* profiles.now
      if (connection._tag !== "SignedIn") return undefined
      const key = `overview.visit.${connection.profile.name}`
      const before = yield* Effect.provideService(recall("everywhere", key, KeptVisit, undefined), Editor, editor)
      const now = nextVisit(before, yield* Clock.currentTimeMillis)
      // Runs in the background, so that the page is drawn meanwhile.
      yield* Effect.forkDetach(editor.remember("everywhere", key, now))
      return now.since === undefined ? undefined : DateTime.formatIso(DateTime.makeUnsafe(now.since))
    })

    const context = yield* Effect.context<Effect.Services<ReturnType<typeof overviewBody>>>()
    const bodyOf = (filter: OverviewFilter, since: string | undefined) =>
      Effect.flatMap(part, ({ overviewBody }) => Effect.provideContext(overviewBody(filter, since), context))

    const changes = Stream.mergeAll(
      [
        cache.changes,
        tenant.changes,
        checks.changes,
        searches.changes,
        register.changes,
        Stream.map(profiles.changes, () => undefined),
        settings.changesOf(masking, eventSettings.savedSearches, eventSettings.pageSize)
      ],
      { concurrency: "unbounded" }
    )

    const showPage: ShowPage = (webview, state) =>
      Effect.scoped(
        Effect.gen(function* () {
          let filter = Option.getOrElse(Schema.decodeUnknownOption(OverviewFilter)(state), () => defaultFilter)
          let since: string | undefined
          const look = Effect.map(visit, (before) => {
            since = before
          })
          yield* look
          const draw = Effect.suspend(() =>
            Effect.flatMap(bodyOf(filter, since), (body) => webview.show({ body, state: filter }))
          )
          /** Requests are sent only while the page is visible and the window has the focus. */
          const isWatched = Effect.all([webview.visible, editor.focused]).pipe(
            Effect.map((watching) => watching.every((isWatching) => isWatching))
          )
          const load = Effect.gen(function* () {
            if ((yield* profiles.now)._tag !== "SignedIn" || !(yield* isWatched)) return
            const { startOfPeriod } = yield* part
            yield* tenant.load(startOfPeriod(filter.period, yield* Clock.currentTimeMillis), isWatched)
          })
          yield* draw
          yield* changes.pipe(
            // Combines changes in quick succession into one drawing.
            Stream.debounce("50 millis"),
            Stream.runForEach(() =>
              Effect.flatMap(webview.visible, (isVisible) => (isVisible ? Effect.andThen(look, draw) : Effect.void))
            ),
            Effect.forkScoped({ startImmediately: true })
          )
          yield* webview.visibility.pipe(
            // A visit ends when the page is hidden.
            Stream.runForEach((isVisible) => Effect.andThen(look, isVisible ? draw : Effect.void)),
            Effect.forkScoped({ startImmediately: true })
          )
          const starts: ReadonlyArray<Stream.Stream<unknown>> = [
            Stream.make(undefined),
            webview.visibility,
            editor.focusChanged,
            profiles.changes,
            Stream.filter(healthChanges, (health) => health === "answering")
          ]
          yield* Stream.mergeAll(starts, { concurrency: "unbounded" }).pipe(
            // Runs in the background, so that a change of the period can extend the current load.
            Stream.runForEach(() => Effect.forkScoped(load)),
            Effect.forkScoped({ startImmediately: true })
          )
          yield* Stream.runForEach(messagesOf(webview, OverviewMessage), (message) => {
            switch (message._tag) {
              case "Filter":
                filter = message.filter
                return Effect.andThen(draw, Effect.forkScoped(load))
              case "Show":
                return editor.execute("threatExposure.events.showSelection", message.selection)
              case "OpenAccounts":
                return editor.execute("threatExposure.overview.openAccounts", message.search)
              case "LookUpAccounts":
                return Effect.forkScoped(editor.execute("threatExposure.overview.lookUpAccounts", message.domain))
              case "Run":
                // Runs in the background, because the command may ask the person something.
                return Effect.forkScoped(editor.execute(`threatExposure.${message.command}`))
            }
          })
        })
      )

    yield* editor.webview("overview", showPage)
    yield* commands.on("overview.loadEvents", () =>
      Effect.flatMap(firstMonth, (from) => {
        const { isLacking, loaded } = tenant.now()
        const hasNone = loaded === 0 && tenant.isComplete(from)
        return isLacking || hasNone
          ? loading.load
          : editor.progress(t("Loading events"), () => tenant.load(from, Effect.succeed(true)))
      })
    )
    yield* commands.on("overview.refresh", () =>
      Effect.andThen(editor.execute("threatExposure.events.refresh"), tenant.refresh)
    )
    const openAccounts = Effect.fnUntraced(function* (id: string) {
      const search = yield* searches.current(id)
      yield* accounts.openSearch(search.id)
    })
    yield* commands.on("overview.openAccounts", ({ args: [id] }) =>
      Predicate.isString(id) ? openAccounts(id) : Effect.void
    )
    yield* commands.on("overview.lookUpAccounts", ({ args: [fqdn] }) =>
      Predicate.isString(fqdn)
        ? Effect.flatMap(searches.start({ query: { type: "domain", fqdn }, include: [] }), ({ id }) => openAccounts(id))
        : Effect.void
    )
  })
)

/**
 * A visit of the overview; events are new since the end of the previous one. Visits less than an hour apart count as
 * one.
 */
export interface Visit {
  /** End of the previous visit in milliseconds since 1970; undefined on the first visit. */
  readonly since: number | undefined
  readonly last: number
}

export const nextVisit = (before: Visit | undefined, now: number): Visit =>
  before === undefined
    ? { since: undefined, last: now }
    : now - before.last < 3_600_000
      ? { since: before.since, last: now }
      : { since: before.last, last: now }

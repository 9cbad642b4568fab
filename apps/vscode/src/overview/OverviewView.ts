/** The Overview view: draws its page from what is loaded, again when that changes, and does what is chosen there. */
import { DateTime, Clock, Effect, Layer, Option, Predicate, Schema, Stream } from "effect"
import { keptKey, serviceOf } from "../connection/Connection.ts"
import { Connections } from "../connection/Connections.ts"
import type { Profile } from "../connection/Profile.ts"
import { Profiles } from "../connection/Profiles.ts"
import { CredentialPanels } from "../credentials/CredentialPanels.ts"
import { CredentialSearches, describeQuery } from "../credentials/CredentialSearches.ts"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { messagesOf, type ShowPage } from "../editor/Webview.ts"
import { stateOf } from "../events/AnyEvent.ts"
import { EventCache } from "../events/EventCache.ts"
import * as eventSettings from "../events/EventSettings.ts"
import { LeakChecks } from "../leaks/LeakChecks.ts"
import { verdictText } from "../leaks/LeakTree.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { OverviewEvents } from "./OverviewEvents.ts"
import { OverviewFilter, defaultFilter, firstMonth } from "./OverviewFilter.ts"
import { OverviewMessage } from "./OverviewMessage.ts"
import type { Accounts, LoadPlan } from "./OverviewPage.ts"
import { TenantEvents } from "./TenantEvents.ts"

/** Domains whose accounts the page offers to look up. */
const maxDomains = 3

/** When the numbers were last counted, and for which service. */
const keptNumbers = {
  service: Schema.String,
  at: Schema.Finite,
  /** The end of the visit from which `fresh` counts. */
  since: Schema.optionalKey(Schema.String)
}

const KeptVisit = Schema.Struct({ since: Schema.UndefinedOr(Schema.Finite), last: Schema.Finite })

const part = Effect.promise(() => import("./OverviewPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const cache = yield* EventCache
    const checks = yield* LeakChecks
    const commands = yield* Commands
    const connections = yield* Connections
    const loading = yield* OverviewEvents
    const accounts = yield* CredentialPanels
    const profiles = yield* Profiles
    const register = yield* Register
    const searches = yield* CredentialSearches
    const settings = yield* Settings
    const tenant = yield* TenantEvents

    const keptOf = <A>(key: string, schema: Schema.Codec<A, unknown>) =>
      Effect.provideService(recall("everywhere", key, Schema.UndefinedOr(schema), undefined), Editor, editor)

    /** When the previous visit ended, for the signed-in profile. */
    const visit = Effect.gen(function* () {
      const connection = yield* profiles.now
      if (connection._tag !== "SignedIn") return undefined
      const key = `overview.visit.${connection.profile.name}`
      const before = yield* keptOf(key, KeptVisit)
      const now = visited(before, yield* Clock.currentTimeMillis)
      // Not awaited: the page is drawn meanwhile.
      yield* Effect.forkDetach(editor.remember("everywhere", key, now))
      return now.since === undefined ? undefined : DateTime.formatIso(DateTime.makeUnsafe(now.since))
    })

    /** The numbers as they are loaded now, or as they were known last, until these have caught up. */
    const numbersOf = Effect.fnUntraced(function* (
      profile: Profile,
      filter: OverviewFilter,
      since: string | undefined,
      plan: LoadPlan
    ) {
      const { Overview, overviewOf, startOfPeriod } = yield* part
      const now = yield* Clock.currentTimeMillis
      const load = tenant.now()
      const isOver = tenant.isComplete(startOfPeriod(filter.period, now))
      const source = load.isLacking
        ? ("loaded" as const)
        : isOver && load.loaded === 0 && (yield* settings.get(eventSettings.savedSearches)).length > 0
          ? ("searches" as const)
          : ("tenant" as const)
      const isOfTenant = source === "tenant"
      const isPartial = isOfTenant ? !isOver : plan.requests > 0
      const open = [...cache.all()].filter(
        (event) => stateOf(event) === "open" && (!isOfTenant || "identifiers" in event)
      )
      const live = overviewOf(open, { filter, isOfTenant, isPartial, now, since })
      const state = {
        source,
        isLoading: load.isLoading,
        loaded: load.loaded,
        problem: isOfTenant ? load.problem?.message : undefined
      }
      const key = keptKey("overview", profile)
      const service = serviceOf(profile)
      const before = yield* keptOf(key, Schema.Struct({ ...keptNumbers, overview: Overview }))
      const isKnown = before?.service === service && JSON.stringify(before.overview.filter) === JSON.stringify(filter)
      // Fewer of them can be open by now: complete numbers are true in any case.
      if (isKnown && isPartial && live.all.total < before.overview.all.total) {
        return { overview: before.overview, since: before.since, numbers: { ...state, asOf: before.at } }
      }
      if (live.loaded > 0 && !load.isLoading) {
        const kept = { service, at: now, overview: live, ...(since === undefined ? {} : { since }) }
        yield* Effect.forkDetach(editor.remember("everywhere", key, kept))
      }
      return { overview: live, since, numbers: { ...state, asOf: undefined } }
    })

    const bodyOf = Effect.fnUntraced(function* (filter: OverviewFilter, visitedAt: string | undefined) {
      const { overviewPage, signedOutPage } = yield* part
      const connection = yield* profiles.now
      if (connection._tag !== "SignedIn") return signedOutPage(connection._tag === "Expired")
      const isMasked = yield* settings.get(masking)
      const hide = (name: string) => (isMasked ? maskText(name) : name)
      const found = searches.all().filter(({ listing }) => listing.now().asOf !== undefined)
      const names = found.map(({ listing }) => listing.now().items.map(({ identity_name }) => identity_name))
      const lookedUp = new Set(
        found.flatMap(({ request: { query } }) => (query.type === "domain" ? [query.fqdn.toLowerCase()] : []))
      )
      const check = checks.last()?.report
      const load = yield* loading.plan
      return overviewPage({
        ...(yield* numbersOf(connection.profile, filter, visitedAt, load)),
        now: yield* Clock.currentTimeMillis,
        load,
        accounts: found.map(({ id, listing, request }, index): Accounts => ({
          search: id,
          name: describeQuery(request.query, isMasked),
          found: new Set(names[index]).size,
          hasMore: listing.now().hasMore
        })),
        accountsFound: new Set(names.flat()).size,
        domains: (yield* register.identifiers)
          .flatMap(({ name, type }) => (type === "domain" && !lookedUp.has(name.toLowerCase()) ? [name] : []))
          .slice(0, maxDomains),
        check:
          check === undefined
            ? undefined
            : {
                leaked: check.leaks.filter(({ counts }) => counts).length,
                verdict: verdictText(check),
                isWhole: check.verdict === "clean"
              },
        searchesLeft: (yield* connections.quota)?.searchesRemaining,
        hide
      })
    })

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
          /** A hidden page, or a window without the focus, sends no requests. */
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
            // Pages that follow each other closely are drawn at once.
            Stream.debounce("50 millis"),
            Stream.runForEach(() =>
              Effect.flatMap(webview.visible, (isVisible) => (isVisible ? Effect.andThen(look, draw) : Effect.void))
            ),
            Effect.forkScoped({ startImmediately: true })
          )
          yield* webview.visibility.pipe(
            // A visit lasts until the page is hidden.
            Stream.runForEach((isVisible) => Effect.andThen(look, isVisible ? draw : Effect.void)),
            Effect.forkScoped({ startImmediately: true })
          )
          const starts: ReadonlyArray<Stream.Stream<unknown>> = [
            Stream.make(undefined),
            webview.visibility,
            editor.focusChanged,
            profiles.changes
          ]
          yield* Stream.mergeAll(starts, { concurrency: "unbounded" }).pipe(
            // Not awaited: a change of the period extends the load that is under way.
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
                // Not awaited: it may ask the user something.
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

/** Determines since when events are new: visits less than an hour apart count as one. */
export interface Visit {
  /** When the visit before ended, in milliseconds since 1970; undefined on the first one. */
  readonly since: number | undefined
  readonly last: number
}

export const visited = (before: Visit | undefined, now: number): Visit =>
  before === undefined
    ? { since: undefined, last: now }
    : now - before.last < 3_600_000
      ? { since: before.since, last: now }
      : { since: before.last, last: now }

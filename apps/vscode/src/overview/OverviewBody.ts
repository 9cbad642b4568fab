/** Collects the data of the overview: current or stored numbers, and the state of other views. */
import { Clock, Effect, Schema } from "effect"
import { keptKey, serviceOf } from "../connection/Connection.ts"
import { Connections } from "../connection/Connections.ts"
import type { Profile } from "../connection/Profile.ts"
import { Profiles } from "../connection/Profiles.ts"
import { CredentialSearches, describeQuery } from "../credentials/CredentialSearches.ts"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { isOfTenant, stateOf } from "../events/AnyEvent.ts"
import { EventCache } from "../events/EventCache.ts"
import * as eventSettings from "../events/EventSettings.ts"
import { LeakChecks } from "../leaks/check/LeakChecks.ts"
import { verdictText } from "../leaks/LeakTree.ts"
import { valueOf } from "../register/KnownIdentifier.ts"
import { Register } from "../register/Register.ts"
import { maskText } from "../words/Mask.ts"
import { Overview, overviewOf, startOfPeriod } from "./Overview.ts"
import { OverviewEvents } from "./OverviewEvents.ts"
import type { OverviewFilter } from "./OverviewFilter.ts"
import type { Accounts, LoadPlan } from "./OverviewContent.ts"
import { overviewPage, signedOutPage } from "./OverviewPage.ts"
import { TenantEvents } from "./TenantEvents.ts"

/** Maximum number of domains that the page offers to look up. */
const maxDomains = 3

/** Stored numbers with their time and service. */
const KeptNumbers = Schema.Struct({
  service: Schema.String,
  at: Schema.Finite,
  /** End of the visit after which `fresh` counts. */
  since: Schema.optionalKey(Schema.String),
  overview: Overview
})

/** The page for the current profile. */
export const overviewBody = Effect.fnUntraced(function* (filter: OverviewFilter, visitedAt: string | undefined) {
  const checks = yield* LeakChecks
  const connections = yield* Connections
  const loading = yield* OverviewEvents
  const register = yield* Register
  const searches = yield* CredentialSearches
  const settings = yield* Settings
  const connection = yield* (yield* Profiles).now
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
      .flatMap(({ listed, name, type }) =>
        type === "domain" ? [listed === undefined ? name : valueOf(listed.data)] : []
      )
      .filter((domain) => !lookedUp.has(domain.toLowerCase()))
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

/** The current numbers, or the stored ones until loading has caught up with them. */
const numbersOf = Effect.fnUntraced(function* (
  profile: Profile,
  filter: OverviewFilter,
  since: string | undefined,
  plan: LoadPlan
) {
  const cache = yield* EventCache
  const editor = yield* Editor
  const settings = yield* Settings
  const tenant = yield* TenantEvents
  const now = yield* Clock.currentTimeMillis
  const load = tenant.now()
  const isOver = tenant.isComplete(startOfPeriod(filter.period, now))
  const source = load.isLacking
    ? ("loaded" as const)
    : isOver && load.loaded === 0 && (yield* settings.get(eventSettings.savedSearches)).length > 0
      ? ("searches" as const)
      : ("tenant" as const)
  const countsTenant = source === "tenant"
  const dropped = cache.dropped()
  const isPartial = dropped.ofTenant || (countsTenant ? !isOver : plan.requests > 0 || dropped.others)
  const open = [...cache.all()].filter((event) => stateOf(event) === "open" && (!countsTenant || isOfTenant(event)))
  const live = overviewOf(open, { filter, isOfTenant: countsTenant, isPartial, now, since })
  const state = {
    source,
    isLoading: load.isLoading,
    loaded: load.loaded,
    problem: source === "searches" ? undefined : load.problem?.message
  }
  const key = keptKey("overview", profile)
  const service = serviceOf(profile)
  const before = yield* recall("everywhere", key, Schema.UndefinedOr(KeptNumbers), undefined)
  const isKnown = before?.service === service && JSON.stringify(before.overview.filter) === JSON.stringify(filter)
  // Show stored numbers while loading. Complete numbers are never replaced: some events may have been closed since.
  if (isKnown && isPartial && live.all.total < before.overview.all.total) {
    return { overview: before.overview, since: before.since, numbers: { ...state, asOf: before.at } }
  }
  if (live.loaded > 0 && !load.isLoading) {
    const kept = { service, at: now, overview: live, ...(since === undefined ? {} : { since }) }
    yield* Effect.forkDetach(editor.remember("everywhere", key, kept))
  }
  return { overview: live, since, numbers: { ...state, asOf: undefined } }
})

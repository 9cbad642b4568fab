/** A leak check from candidates and domains to a report: `plan` it, show what it costs, `run` it (DESIGN section 6). */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { ApiError, Forbidden, Unauthorized } from "@threat-exposure/core/client/ApiError"
import type { Credentials } from "@threat-exposure/core/client/Credentials"
import type { Events } from "@threat-exposure/core/client/Events"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Event } from "@threat-exposure/core/domain/Event"
import type { Page } from "@threat-exposure/core/domain/Page"
import { severities } from "@threat-exposure/core/domain/Severity"
import { DateTime, Duration, Effect, Redacted, Result } from "effect"
import { CleanCache } from "./CleanCache.ts"
import { credentialEvidence, datesOf, eventEvidence, type Weighing } from "./Evidence.ts"
import { fingerprint } from "./Fingerprint.ts"
import { type IgnoreEntry, isExpired } from "./IgnoreFile.ts"
import { makeMask, type Mask, shortened } from "./Mask.ts"
import type { Plan, Search } from "./Plan.ts"
import type { IgnoreEntryUse, Leak, Report, Subject, Unsearched, UnsearchedReason, Verdict } from "./Report.ts"
import { type Bounds, credentialsOf, eventsOf } from "./Searches.ts"
import { subjectOf, type Target } from "./Target.ts"

export { make as plan } from "./Plan.ts"

/** What a run has done so far; it is told after each search. */
export interface Progress {
  readonly searched: number
  readonly planned: number
  /** Targets with evidence so far, whether or not it counts. */
  readonly leaked: number
  /** What was searched last. */
  readonly subject: Subject
  readonly of: "credentials" | "events"
}

export interface RunOptions {
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
}

/**
 * Spends the plan, four searches at a time at most. A token that is refused ends it with that error; every other fault
 * of the service leaves targets unsearched, and the report says which and why.
 */
export const run = Effect.fn("LeakCheck.run")(function* (
  plan: Plan,
  { onProgress = () => Effect.void }: RunOptions = {}
): Effect.fn.Return<Report, Unauthorized | Forbidden, ApiClient | Credentials | Events> {
  const { quota } = yield* ApiClient
  const remaining = Effect.map(quota, ({ searchesRemaining }) => searchesRemaining)
  const cache = yield* CleanCache
  const { settings } = plan.input
  const startedAt = yield* DateTime.now
  const bounds = { minSeverity: settings.minSeverity, since: settings.since }

  const answers = new Map<Target, Answers>()
  const misses: Array<Miss> = []
  let sent = 0
  let answered = 0
  let failuresInARow = 0
  let stopped: Pick<Miss, "reason" | "detail"> | undefined

  const one = Effect.fnUntraced(function* (search: Search) {
    if (stopped === undefined && settings.quotaReserve > 0) {
      const left = yield* remaining
      if (left !== undefined && left <= settings.quotaReserve) {
        stopped = {
          reason: "quota",
          detail: `${left} searches of the quota remain, and ${settings.quotaReserve} are to be left (quota-reserve)`
        }
      }
    }
    if (stopped !== undefined) {
      misses.push({ search, ...stopped })
      return
    }
    sent++
    const { target } = search
    const result = yield* Effect.result(ask(search, bounds))
    answered++
    if (Result.isSuccess(result)) {
      failuresInARow = 0
      answers.set(target, { ...answers.get(target), ...result.success })
    } else {
      const error = result.failure
      if (error._tag === "Unauthorized" || error._tag === "Forbidden") return yield* error
      if (error._tag !== "ValidationFailed" && error._tag !== "RequestInvalid") failuresInARow++
      const isQuota = quotaIsSpent(error, yield* remaining)
      misses.push({ search, reason: isQuota ? "quota" : "error", detail: error.message })
      if (isQuota) {
        stopped ??= {
          reason: "quota",
          detail: "The search quota of the service is exhausted: wait for its renewal, or ask for more"
        }
      } else if (failuresInARow >= mostFailuresInARow) {
        stopped ??= {
          reason: "error",
          detail: `The service failed ${failuresInARow} times in a row, so it was left alone: ${error.message}`
        }
      }
    }
    yield* onProgress({
      searched: answered,
      planned: plan.searches.length,
      leaked: Array.from(answers.values()).filter(hasItems).length,
      subject: subjectOf(target),
      of: search.of
    })
  })

  const finished = yield* Effect.forEach(plan.searches, one, { concurrency: mostInFlight, discard: true }).pipe(
    Effect.timeoutOption(settings.deadline)
  )
  if (finished._tag === "None") {
    const missed = new Set(misses.map(({ search }) => search))
    for (const search of plan.searches) {
      if (missed.has(search) || answers.get(search.target)?.[search.of] !== undefined) continue
      misses.push({
        search,
        reason: "deadline",
        detail: `The deadline of ${Duration.format(settings.deadline)} passed`
      })
    }
  }
  for (const search of plan.overBudget) {
    misses.push({
      search,
      reason: "max-searches",
      detail: `The budget of searches, ${settings.maxSearches}, was spent on what comes first (max-searches)`
    })
  }

  const mask = maskOf(plan)
  const weighing: Weighing = { settings, domains: plan.input.domains ?? [], mask }
  const found: Array<Found> = []
  const clean: Array<Target> = []
  for (const [target, answer] of answers) {
    const credentials = answer.credentials?.items.map((item) => credentialEvidence(item, target, weighing)) ?? []
    const events = answer.events?.items.map((item) => eventEvidence(item, target, weighing)) ?? []
    if (hasItems(answer)) found.push({ target, answer, credentials, events })
    else if (answer.credentials?.next === null && answer.events?.next === null) clean.push(target)
    for (const [of, items] of [
      ["credentials", credentials],
      ["events", events]
    ] as const) {
      // What counts may be on a page that is not fetched.
      if ((answer[of]?.next ?? null) !== null && !items.some(({ counts }) => counts)) {
        misses.push({
          search: { target, of },
          reason: "error",
          detail: "The service gave nothing that counts on the first page but says that there are more pages"
        })
      }
    }
  }
  yield* cache.remember(clean, bounds)

  return yield* report(plan, {
    mask,
    startedAt,
    sent,
    found,
    misses,
    skipped: null,
    quotaRemaining: (yield* remaining) ?? null
  })
})

/** The report of a check that could not search at all, with what it would have searched as unsearched. */
export const skip = Effect.fn("LeakCheck.skip")(function* (plan: Plan, reason: string): Effect.fn.Return<Report> {
  const misses = [...plan.searches, ...plan.overBudget].map((search): Miss => ({
    search,
    reason: "skipped",
    detail: reason
  }))
  return yield* report(plan, {
    mask: maskOf(plan),
    startedAt: yield* DateTime.now,
    sent: 0,
    found: [],
    misses,
    skipped: reason,
    quotaRemaining: null
  })
})

const mostInFlight = 4

/** A service that fails this often without one success between is down, and asking on would only take time. */
const mostFailuresInARow = 8

const maskOf = ({ targetValues, otherValues }: Plan) =>
  makeMask(targetValues.map(Redacted.value), otherValues.map(Redacted.value))

interface Answers {
  readonly credentials?: Page<Credential>
  readonly events?: Page<Event>
}

interface Miss {
  readonly search: Search
  readonly reason: UnsearchedReason
  readonly detail: string
}

interface Found {
  readonly target: Target
  readonly answer: Answers
  readonly credentials: Leak["credentials"]
  readonly events: Leak["events"]
}

const ask = (search: Search, bounds: Bounds): Effect.Effect<Answers, ApiError, Credentials | Events> =>
  search.of === "credentials"
    ? Effect.map(credentialsOf(search.target, bounds), (credentials) => ({ credentials }))
    : Effect.map(eventsOf(search.target, bounds), (events) => ({ events }))

const hasItems = ({ credentials, events }: Answers) =>
  (credentials?.items.length ?? 0) > 0 || (events?.items.length ?? 0) > 0

const quotaIsSpent = (error: ApiError, remaining: number | undefined) =>
  error._tag === "RateLimited" && (remaining === 0 || /quota/i.test(error.code ?? "") || /quota/i.test(error.message))

interface Run {
  readonly mask: Mask
  readonly startedAt: DateTime.Utc
  readonly sent: number
  readonly found: ReadonlyArray<Found>
  readonly misses: ReadonlyArray<Miss>
  readonly skipped: string | null
  readonly quotaRemaining: number | null
}

const report = Effect.fnUntraced(function* (plan: Plan, run: Run): Effect.fn.Return<Report> {
  const { input } = plan
  const { settings } = input
  const now = yield* DateTime.now
  const plain = (text: string) => shortened(run.mask.own(text), 1000)
  const entries = new Map((input.ignore?.entries ?? []).map((entry) => [entry.fingerprint, entry]))
  const leaks: Array<Leak> = []
  for (const found of run.found) leaks.push(yield* leakOf(found, plan, run.mask, entries, now))
  leaks.sort(worstFirst)

  const unsearched = unsearchedOf(run.misses, run.mask)
  const gaps = (input.gaps ?? []).map(plain)
  const values = new Set([...plan.searches, ...plan.overBudget].map(({ target }) => target))
  const domains = Array.from(values).filter(({ _tag }) => _tag === "Domain").length
  return {
    schemaVersion: 1,
    verdict: verdictOf(run.skipped, leaks, unsearched, gaps),
    skipped: run.skipped === null ? null : plain(run.skipped),
    repository: plain(input.repository),
    startedAt: DateTime.formatIso(run.startedAt),
    finishedAt: DateTime.formatIso(now),
    plan: plan.summary,
    searches: run.sent,
    quotaRemaining: run.quotaRemaining,
    planned: {
      values: values.size - domains,
      domains,
      searches: plan.searches.length,
      knownClean: plan.knownClean.length
    },
    settings: {
      minSeverity: settings.minSeverity,
      since: DateTime.formatIso(settings.since),
      domainLeaks: settings.domainLeaks,
      maxSearches: settings.maxSearches,
      quotaReserve: settings.quotaReserve,
      deadlineSeconds: Duration.toSeconds(settings.deadline)
    },
    leaks,
    unsearched,
    gaps,
    leftOut: plan.leftOut.map(({ reason, subject }) => ({ subject: maskedSubject(subject, run.mask), reason })),
    ignore: Array.from(entries.values(), (entry): IgnoreEntryUse => ({
      fingerprint: entry.fingerprint,
      reason: plain(entry.reason),
      expires: entry.expires,
      by: entry.by === undefined ? null : plain(entry.by),
      line: entry.line,
      state: isExpired(entry, now)
        ? "expired"
        : leaks.some(({ fingerprint }) => fingerprint === entry.fingerprint)
          ? "applied"
          : "unmatched",
      isAdded: input.ignoreAdded?.includes(entry.fingerprint) ?? false
    })),
    notices: (input.notices ?? []).map(plain)
  }
})

const verdictOf = (
  skipped: string | null,
  leaks: ReadonlyArray<Leak>,
  unsearched: ReadonlyArray<Unsearched>,
  gaps: ReadonlyArray<string>
): Verdict => {
  if (skipped !== null) return "skipped"
  if (leaks.some(({ counts }) => counts)) return "leaked"
  return unsearched.length > 0 || gaps.length > 0 ? "incomplete" : "clean"
}

const leakOf = Effect.fnUntraced(function* (
  { answer, credentials, events, target }: Found,
  plan: Plan,
  mask: Mask,
  entries: ReadonlyMap<string, IgnoreEntry>,
  now: DateTime.Utc
): Effect.fn.Return<Leak> {
  const { repository, settings } = plan.input
  const name = yield* fingerprint(target._tag === "Domain" ? Redacted.make(target.domain) : target.value, repository)
  const entry = entries.get(name)
  const ignored = entry === undefined || isExpired(entry, now) ? undefined : entry
  const items = [...credentials, ...events]
  const counted = items.filter(({ counts }) => counts)
  const whyNot =
    ignored !== undefined
      ? `ignored until ${ignored.expires}: ${mask.own(ignored.reason)}`
      : target._tag === "Domain" && settings.domainLeaks === "warn"
        ? "the leaks of a domain are a warning here (domain-leaks: warn)"
        : counted.length === 0
          ? target._tag === "Domain"
            ? `older than ${DateTime.formatIsoDateUtc(settings.since)} (since), or below the severity ${settings.minSeverity} (min-severity)`
            : `below the severity ${settings.minSeverity} (min-severity)`
          : null
  const common = target._tag === "Value" ? commonOf(answer, settings.commonAbove) : null
  const dates = datesOf(credentials, events)
  return {
    fingerprint: name,
    subject: maskedSubject(subjectOf(target), mask),
    counts: whyNot === null,
    whyNot,
    severity:
      common === null
        ? (severities.findLast((severity) =>
            (counted.length > 0 ? counted : items).some((item) => item.severity === severity)
          ) ?? "info")
        : "low",
    firstSeen: dates[0] ?? null,
    lastSeen: dates.at(-1) ?? null,
    common,
    ignored:
      ignored === undefined
        ? null
        : {
            reason: mask.own(ignored.reason),
            expires: ignored.expires,
            by: ignored.by == null ? null : mask.own(ignored.by)
          },
    credentials,
    moreCredentials: (answer.credentials?.next ?? null) !== null,
    events,
    moreEvents: (answer.events?.next ?? null) !== null
  }
})

/** Accounts are counted, not rows: one account's password is listed in many collections. */
const commonOf = ({ credentials }: Answers, above: number) => {
  const accounts = new Set(credentials?.items.map(({ identity_name }) => identity_name.toLowerCase())).size
  return accounts > above
    ? `${accounts}${credentials?.next == null ? "" : " or more"} accounts use this value, so it is a common one and its leak need not be yours; it is no secret all the same`
    : null
}

const worstFirst = (a: Leak, b: Leak) =>
  Number(b.counts) - Number(a.counts) ||
  severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
  Number(a.subject.type === "domain") - Number(b.subject.type === "domain") ||
  (b.lastSeen ?? "").localeCompare(a.lastSeen ?? "") ||
  a.fingerprint.localeCompare(b.fingerprint)

const unsearchedOf = (misses: ReadonlyArray<Miss>, mask: Mask) => {
  const byTarget = new Map<Target, Array<Miss>>()
  for (const miss of misses) {
    const same = byTarget.get(miss.search.target)
    if (same === undefined) byTarget.set(miss.search.target, [miss])
    else same.push(miss)
  }
  return Array.from(byTarget, ([target, [first, ...more]]): ReadonlyArray<Unsearched> =>
    first === undefined
      ? []
      : [
          {
            subject: maskedSubject(subjectOf(target), mask),
            missing: [first, ...more].map(({ search }) => search.of).toSorted(),
            reason: first.reason,
            detail: shortened(mask.own(first.detail), 1000)
          }
        ]
  ).flat()
}

/** A file may be named after the value it holds. */
const maskedSubject = (subject: Subject, mask: Mask): Subject =>
  subject.type === "domain"
    ? subject
    : {
        type: "value",
        kind: subject.kind,
        names: subject.names.map((name) => mask.own(name)),
        locations: subject.locations.map((location) => Object.assign({}, location, { path: mask.own(location.path) })),
        isAdded: subject.isAdded
      }

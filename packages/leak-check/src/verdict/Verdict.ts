/** Turns a plan and its answers into leaks with evidence, a list of unsearched targets, and the verdict. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { type CoverageKind, coverageTable, mergeSkips, sentenceOf } from "../Coverage.ts"
import { credentialEvidence, datesOf, eventEvidence, type EvidenceContext } from "./Evidence.ts"
import { fingerprint } from "../ignore/Fingerprint.ts"
import { type IgnoreEntry, isExpired } from "../ignore/IgnoreFile.ts"
import { makeMask, type Mask, shorten } from "./Mask.ts"
import type { Plan } from "../search/Plan.ts"
import {
  type IgnoreEntryUse,
  isComplete,
  type Leak,
  type Report,
  type Subject,
  type Unsearched,
  type Verdict
} from "../Report.ts"
import type { Settings } from "../Settings.ts"
import { type Answers, hasItems, type Unanswered, type SearchResults } from "../search/SearchResults.ts"
import { type DomainTarget, subjectOf, type Target } from "../target/Target.ts"

/** The outcome of a plan, run or skipped. */
export interface RunRecord {
  readonly startedAt: DateTime.Utc
  readonly results: Pick<SearchResults, "sent" | "answers" | "unanswered" | "quotaRemaining">
  /** Why nothing was searched; null if the plan was run. */
  readonly skipped: string | null
}

export const reportOf = Effect.fnUntraced(function* (
  plan: Plan,
  { skipped: whySkipped, results, startedAt }: RunRecord
): Effect.fn.Return<Report> {
  const { input } = plan
  const { settings } = input
  const now = yield* DateTime.now
  const mask = makeMask(plan.targetValues.map(Redacted.value), plan.otherValues.map(Redacted.value))
  const plain = (text: string) => shorten(mask.own(text), 1000)
  const found = Array.from(results.answers, ([target, answers]) =>
    foundOf(target, answers, { settings, domains: input.domains ?? [], mask })
  )
  const entries = new Map((input.ignore?.entries ?? []).map((entry) => [entry.fingerprint, entry]))
  const leaks = yield* Effect.forEach(
    found.filter(({ answers }) => hasItems(answers)),
    (one) => leakOf(one, plan, mask, entries, now),
    { concurrency: fingerprintsAtOnce }
  )
  const unsearched = unsearchedOf([...results.unanswered, ...found.flatMap(listUnread)], mask)
  const skipped = mergeSkips(input.skipped ?? []).map(({ count, names, reason }) => ({
    reason,
    count,
    names: names.map(plain)
  }))
  const sentences = (kind: CoverageKind) =>
    skipped.filter(({ reason }) => coverageTable[reason].kind === kind).map((entry) => sentenceOf(entry))
  const gaps = [...(input.gaps ?? []).map(plain), ...sentences("gap")]
  const targets = new Set([...plan.searches, ...plan.overBudget].map(({ target }) => target))
  const domains = Array.from(targets).filter(({ _tag }) => _tag === "Domain").length
  return {
    schemaVersion: 1,
    verdict: whySkipped === null ? verdictOf(leaks, unsearched, gaps) : "skipped",
    skipped: whySkipped === null ? null : shorten(mask.quoted(whySkipped), 1000),
    repository: plain(input.repository),
    startedAt: DateTime.formatIso(startedAt),
    finishedAt: DateTime.formatIso(now),
    plan: plan.summary,
    searches: results.sent,
    quotaRemaining: results.quotaRemaining ?? null,
    planned: {
      values: targets.size - domains,
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
    leaks: leaks.toSorted(worstFirst),
    unsearched,
    gaps,
    ineligible: plan.ineligible.map(({ reason, subject }) => ({ subject: maskSubject(subject, mask), reason })),
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
    notices: [...(input.notices ?? []).map(plain), ...sentences("notice")],
    coverage: skipped.map(({ count, names, reason }) => ({ reason, kind: coverageTable[reason].kind, count, names })),
    omitted: null
  }
})

/** Node computes four in parallel, the default size of its thread pool. */
const fingerprintsAtOnce = 4

interface Found {
  readonly target: Target
  readonly answers: Answers
  readonly credentials: Leak["credentials"]
  readonly events: Leak["events"]
}

const foundOf = (target: Target, answers: Answers, context: EvidenceContext): Found => ({
  target,
  answers,
  credentials: answers.credentials?.items.map((item) => credentialEvidence(item, target, context)) ?? [],
  events: answers.events?.items.map((item) => eventEvidence(item, target, context)) ?? []
})

/** A page that was not fetched, or an item that cannot be decoded, may contain a match that counts. */
const listUnread = ({ answers, credentials, events, target }: Found): ReadonlyArray<Unanswered> =>
  [
    { of: "credentials" as const, evidence: credentials },
    { of: "events" as const, evidence: events }
  ].flatMap(({ evidence, of }): ReadonlyArray<Unanswered> => {
    const { next = null, unreadable = 0 } = answers[of] ?? {}
    if ((next === null && unreadable === 0) || evidence.some(({ counts }) => counts)) return []
    const detail =
      unreadable === 0
        ? "The first page of the answer has nothing that counts, but the service says that there are more pages"
        : `${unreadable === 1 ? "An item" : `${unreadable} items`} of the answer cannot be read, and none of the others counts`
    return [{ search: { target, of }, reason: "error", detail }]
  })

const verdictOf = (
  leaks: ReadonlyArray<Leak>,
  unsearched: ReadonlyArray<Unsearched>,
  gaps: ReadonlyArray<string>
): Verdict => {
  if (leaks.some(({ counts }) => counts)) return "leaked"
  return isComplete({ gaps, unsearched }) ? "clean" : "incomplete"
}

const leakOf = Effect.fnUntraced(function* (
  { answers, credentials, events, target }: Found,
  plan: Plan,
  mask: Mask,
  entries: ReadonlyMap<string, IgnoreEntry>,
  now: DateTime.Utc
): Effect.fn.Return<Leak> {
  const { repository, settings } = plan.input
  const name = yield* fingerprint(target._tag === "Domain" ? domainValue(target) : target.value, repository)
  const entry = entries.get(name)
  const ignored = entry === undefined || isExpired(entry, now) ? undefined : entry
  const items = [...credentials, ...events]
  const counted = items.filter(({ counts }) => counts)
  const notCountedReason =
    ignored === undefined
      ? notCountedReasonOf(target, counted.length > 0, settings)
      : `ignored until ${ignored.expires}: ${mask.own(ignored.reason)}`
  const common = target._tag === "Value" ? commonOf(answers, settings.commonAbove) : null
  const dates = datesOf(credentials, events)
  return {
    fingerprint: name,
    subject: maskSubject(subjectOf(target), mask),
    counts: notCountedReason === null,
    notCountedReason,
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
    moreCredentials: (answers.credentials?.next ?? null) !== null,
    events,
    moreEvents: (answers.events?.next ?? null) !== null
  }
})

/** The value to fingerprint: ignoring the addresses of a domain must not ignore its logins. */
const domainValue = ({ domain, searchedBy }: DomainTarget) =>
  Redacted.make(searchedBy === "login" ? `login:${domain}` : domain)

const notCountedReasonOf = (target: Target, hasCounted: boolean, { domainLeaks, minSeverity, since }: Settings) => {
  if (target._tag === "Domain" && domainLeaks === "warn") {
    return "leaks of domains are only reported here (domain-leaks: warn)"
  }
  if (hasCounted) return null
  const tooMild = `below the severity ${minSeverity} (min-severity)`
  return target._tag === "Domain" ? `older than ${DateTime.formatIsoDateUtc(since)} (since), or ${tooMild}` : tooMild
}

/** Counts accounts instead of rows: many collections contain the password of one account. */
const commonOf = ({ credentials }: Answers, above: number) => {
  const accounts = new Set(credentials?.items.map(({ identity_name }) => identity_name.toLowerCase())).size
  return accounts > above
    ? `${accounts}${credentials?.next == null ? "" : " or more"} accounts use this value, so it is common, and the leak may not be yours; it is not a secret in any case`
    : null
}

const worstFirst = (a: Leak, b: Leak) =>
  Number(b.counts) - Number(a.counts) ||
  severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
  Number(a.subject.type === "domain") - Number(b.subject.type === "domain") ||
  (b.lastSeen ?? "").localeCompare(a.lastSeen ?? "") ||
  byPlace(a.subject, b.subject) ||
  a.fingerprint.localeCompare(b.fingerprint)

/** Leaks that the change adds come first; those outside the code come last. */
const byPlace = (a: Subject, b: Subject) => {
  if (a.type === "domain" || b.type === "domain") return 0
  const [first, second] = [a.locations[0], b.locations[0]]
  return (
    Number(b.isAdded) - Number(a.isAdded) ||
    Number(first === undefined) - Number(second === undefined) ||
    // In every locale alike.
    (first?.path ?? "").localeCompare(second?.path ?? "", "en") ||
    (first?.line ?? 0) - (second?.line ?? 0)
  )
}

const unsearchedOf = (unanswered: ReadonlyArray<Unanswered>, mask: Mask) =>
  Array.from(
    Map.groupBy(unanswered, ({ search }) => search.target),
    ([target, ofTarget]): ReadonlyArray<Unsearched> =>
      ofTarget.slice(0, 1).map(({ detail, reason }) => ({
        subject: maskSubject(subjectOf(target), mask),
        missing: ofTarget.map(({ search }) => search.of).toSorted(),
        reason,
        detail: shorten(mask.quoted(detail), 1000)
      }))
  ).flat()

/** Masks the path too: a file may be named after its value. */
const maskSubject = (subject: Subject, mask: Mask): Subject =>
  subject.type === "domain"
    ? subject
    : {
        type: "value",
        kind: subject.kind,
        names: subject.names.map((name) => mask.own(name)),
        locations: subject.locations.map((location) =>
          Object.assign({}, location, {
            path: mask.own(location.path),
            name: location.name === null ? null : shorten(mask.own(location.name), maxNameLength)
          })
        ),
        isAdded: subject.isAdded
      }

const maxNameLength = 100

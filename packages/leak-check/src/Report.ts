/**
 * The report of a leak check. Its encoded form is the content of `report.json`.
 *
 * It contains no searched value, no guessable hash of one, and only masked account names. Text from a leak is plain
 * text without control characters. Nothing is escaped: each format escapes for itself.
 */
import { Record, Schema } from "effect"
import { coverageTable } from "./Coverage.ts"
import { Severity } from "@threat-exposure/core/domain/Severity"

export const Verdict = Schema.Literals(["clean", "leaked", "incomplete", "skipped"]).annotate({
  identifier: "Verdict"
})
export type Verdict = typeof Verdict.Type

const Location = Schema.Struct({
  path: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  endLine: Schema.Int,
  /** The column after the last character of the value. */
  endColumn: Schema.Int,
  commit: Schema.NullOr(Schema.String),
  /** True if the last commit no longer has the line: path and line are then those of `commit`. */
  removed: Schema.Boolean,
  rule: Schema.String,
  /** The key, variable or header that the value is assigned to; null if there is none. */
  name: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Location" })

/** A value from the code, or one that the caller named. */
export const ValueSubject = Schema.Struct({
  type: Schema.Literal("value"),
  kind: Schema.String,
  /** Names that the caller gave; empty if the value was only found in the code. */
  names: Schema.Array(Schema.String),
  /** Every location in the code, current files first; empty if the value was only given by name. */
  locations: Schema.Array(Location),
  /** True if the change under review adds the value. */
  isAdded: Schema.Boolean
}).annotate({ identifier: "Value" })
export type ValueSubject = typeof ValueSubject.Type

const DomainSubject = Schema.Struct({
  type: Schema.Literal("domain"),
  domain: Schema.String,
  /** `address`: search accounts with an address at the domain; `login`: search accounts that log in there. */
  searchedBy: Schema.Literals(["address", "login"])
}).annotate({ identifier: "Domain" })
export type DomainSubject = typeof DomainSubject.Type

/** The searched value, without the value itself, or the searched domain. */
export const Subject = Schema.Union([ValueSubject, DomainSubject])
export type Subject = typeof Subject.Type
export type Location = typeof Location.Type

export const CredentialEvidence = Schema.Struct({
  /** Masked: `a…@example.com`. */
  account: Schema.String,
  severity: Severity,
  importedAt: Schema.NullOr(Schema.String),
  source: Schema.NullOr(
    Schema.Struct({
      name: Schema.NullOr(Schema.String),
      description: Schema.NullOr(Schema.String),
      breachedAt: Schema.NullOr(Schema.String),
      leakedAt: Schema.NullOr(Schema.String),
      url: Schema.NullOr(Schema.String)
    })
  ),
  /** Hosts that the account was used to log in to; at most five. */
  usedAt: Schema.Array(Schema.String),
  counts: Schema.Boolean
}).annotate({ identifier: "CredentialEvidence" })
export type CredentialEvidence = typeof CredentialEvidence.Type

export const EventEvidence = Schema.Struct({
  uid: Schema.String,
  type: Schema.String,
  severity: Severity,
  estimatedCreatedAt: Schema.NullOr(Schema.String),
  matchedAt: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  /** Link to the event in the service's web application; null if it is not an `https` or `http` URL. */
  link: Schema.NullOr(Schema.String),
  /** Matching excerpts by field, as plain text. */
  highlights: Schema.Array(Schema.Struct({ field: Schema.String, text: Schema.String })),
  counts: Schema.Boolean
}).annotate({ identifier: "EventEvidence" })
export type EventEvidence = typeof EventEvidence.Type

export const Leak = Schema.Struct({
  /** Identifies the value or domain within this repository, for the ignore file. */
  fingerprint: Schema.String,
  subject: Subject,
  /** Whether the leak makes the verdict `leaked`. */
  counts: Schema.Boolean,
  /** Why the leak does not count; null if it counts. */
  notCountedReason: Schema.NullOr(Schema.String),
  severity: Severity,
  /** The earliest and the latest date of the evidence, in ISO 8601. */
  firstSeen: Schema.NullOr(Schema.String),
  lastSeen: Schema.NullOr(Schema.String),
  /** Why the value is probably used by many people, which lowers its severity; otherwise null. */
  common: Schema.NullOr(Schema.String),
  /** The entry of the ignore file that applies; null if none does. */
  ignored: Schema.NullOr(
    Schema.Struct({ reason: Schema.String, expires: Schema.String, by: Schema.NullOr(Schema.String) })
  ),
  credentials: Schema.Array(CredentialEvidence),
  /** True if the service has more than were fetched. */
  moreCredentials: Schema.Boolean,
  events: Schema.Array(EventEvidence),
  moreEvents: Schema.Boolean
}).annotate({ identifier: "Leak" })
export type Leak = typeof Leak.Type

export const UnsearchedReason = Schema.Literals(["max-searches", "quota", "deadline", "error", "skipped"])
export type UnsearchedReason = typeof UnsearchedReason.Type

export const Unsearched = Schema.Struct({
  subject: Subject,
  /** The searches of this target that failed or were not sent. */
  missing: Schema.Array(Schema.Literals(["credentials", "events"])),
  reason: UnsearchedReason,
  /** A sentence that says what happened and what to do. */
  detail: Schema.String
}).annotate({ identifier: "Unsearched" })
export type Unsearched = typeof Unsearched.Type

export const IgnoreEntryUse = Schema.Struct({
  fingerprint: Schema.String,
  reason: Schema.String,
  expires: Schema.String,
  by: Schema.NullOr(Schema.String),
  line: Schema.Int,
  state: Schema.Literals(["applied", "expired", "unmatched"]),
  /** True if the change under review adds the entry. */
  isAdded: Schema.Boolean
}).annotate({ identifier: "IgnoreEntry" })
export type IgnoreEntryUse = typeof IgnoreEntryUse.Type

/** A value that is not worth a search, and the reason. */
export const Ineligible = Schema.Struct({ subject: Subject, reason: Schema.String }).annotate({
  identifier: "Ineligible"
})
export type Ineligible = typeof Ineligible.Type

/** Everything that the scans skipped for one reason. */
const Coverage = Schema.Struct({
  reason: Schema.Literals(Record.keys(coverageTable)),
  /** A gap rules out the verdict `clean`; a notice does not. */
  kind: Schema.Literals(["gap", "notice"]),
  count: Schema.Int,
  /** Paths, locations or sentences; at most 100. */
  names: Schema.Array(Schema.String)
}).annotate({ identifier: "Coverage" })

export const Report = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  verdict: Verdict,
  /** Why nothing was searched, if the verdict is `skipped`; otherwise null. */
  skipped: Schema.NullOr(Schema.String),
  /** The repository's name, which salts the fingerprints: `github.com/owner/name`. */
  repository: Schema.String,
  startedAt: Schema.String,
  finishedAt: Schema.String,
  /** The plan in one sentence, as it was shown before the searches. */
  plan: Schema.String,
  /** Number of search requests, without retries. */
  searches: Schema.Int,
  /** Remaining units of the search quota; null if the service did not report them. */
  quotaRemaining: Schema.NullOr(Schema.Int),
  planned: Schema.Struct({
    values: Schema.Int,
    domains: Schema.Int,
    searches: Schema.Int,
    /** Targets that an earlier run found clean, and that were not searched again. */
    knownClean: Schema.Int
  }),
  settings: Schema.Struct({
    minSeverity: Severity,
    since: Schema.String,
    domainLeaks: Schema.Literals(["fail", "warn", "off"]),
    maxSearches: Schema.Int,
    quotaReserve: Schema.Int,
    deadlineSeconds: Schema.Finite
  }),
  /** Most severe first; leaks that do not count come last. */
  leaks: Schema.Array(Leak),
  unsearched: Schema.Array(Unsearched),
  /** Requested checks that were not possible, one sentence each. Any gap rules out the verdict `clean`. */
  gaps: Schema.Array(Schema.String),
  ineligible: Schema.Array(Ineligible),
  ignore: Schema.Array(IgnoreEntryUse),
  /** Other information for the reader, one sentence each. */
  notices: Schema.Array(Schema.String),
  /** The gaps and notices about skipped items, counted by reason. */
  coverage: Schema.Array(Coverage),
  /** Counts of the parts that `report.json` leaves out to stay under 10 MB; null if it is complete. */
  omitted: Schema.NullOr(
    Schema.Struct({
      /** Number of entries over all lists. */
      entries: Schema.Int,
      evidence: Schema.Int,
      places: Schema.Int
    })
  )
}).annotate({ identifier: "Report", title: "What a leak check found" })
export interface Report extends Schema.Schema.Type<typeof Report> {}

/** The leaks that count and for which `fail-on` fails the check. */
export const failing = (report: Report, failOn: "any" | "credentials" | "events" | "none"): ReadonlyArray<Leak> =>
  counting(report).filter(
    ({ credentials, events }) =>
      failOn === "any" || (failOn !== "none" && { credentials, events }[failOn].some(({ counts }) => counts))
  )

/** Whether everything was read and searched. A report with leaks may also be incomplete. */
export const isComplete = ({ gaps, unsearched }: Pick<Report, "gaps" | "unsearched">): boolean =>
  gaps.length === 0 && unsearched.length === 0

/** The leaks that make the verdict `leaked`. */
export const counting = (report: Report): ReadonlyArray<Leak> => report.leaks.filter((leak) => leak.counts)

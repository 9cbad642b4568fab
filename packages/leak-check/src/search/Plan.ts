/** Decides which targets are searched, in which order, at which cost, within the budget. */
import { DateTime, Effect, Redacted } from "effect"
import { counted } from "../Counted.ts"
import { CleanCache } from "./CleanCache.ts"
import type { IgnoreFile } from "../ignore/IgnoreFile.ts"
import type { Skipped } from "../Coverage.ts"
import type { Ineligible } from "../Report.ts"
import type { Settings } from "../Settings.ts"
import type { Candidate } from "@threat-exposure/detect/Candidate"
import {
  type DomainTarget,
  type NamedSecret,
  subjectOf,
  type Target,
  valuesOf,
  type ValueTarget
} from "../target/Target.ts"
import { minValueLength, whyIneligible } from "./SearchEligibility.ts"

/** The input of a leak check. Only `repository` and `settings` are required. */
export interface Input {
  /**
   * Salts the fingerprints; a name of RepositoryName.ts. It must be the same in every run, or the ignore file matches
   * nothing.
   */
  readonly repository: string
  readonly settings: Settings
  readonly secrets?: ReadonlyArray<NamedSecret> | undefined
  /** Candidates that the change under review adds. */
  readonly added?: ReadonlyArray<Candidate> | undefined
  /** The other candidates in the code. */
  readonly candidates?: ReadonlyArray<Candidate> | undefined
  /** Domains of the organisation's addresses, normalized by `domainOf`. */
  readonly domains?: ReadonlyArray<string> | undefined
  /** Domains where the organisation's users log in, normalized by `domainOf`. */
  readonly loginDomains?: ReadonlyArray<string> | undefined
  readonly ignore?: IgnoreFile | undefined
  /** Fingerprints that the change under review adds to the ignore file. */
  readonly ignoreAdded?: ReadonlyArray<string> | undefined
  /** Values that are not searched, but must not appear in a report either. */
  readonly hidden?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Everything that the scans skipped; Coverage.ts decides which of it rules out the verdict `clean`. */
  readonly skipped?: ReadonlyArray<Skipped> | undefined
  /** Requested checks that were not possible, one sentence each; any of them rules out the verdict `clean`. */
  readonly gaps?: ReadonlyArray<string> | undefined
  /** Additional notices for the report, one sentence each. */
  readonly notices?: ReadonlyArray<string> | undefined
}

/** One search request. */
export interface Search {
  readonly target: Target
  readonly of: "credentials" | "events"
}

/** The searches for a target. Events cannot be searched by a login domain. */
export const searchesOf = (target: Target): ReadonlyArray<Search> =>
  target._tag === "Domain" && target.searchedBy === "login"
    ? [{ target, of: "credentials" }]
    : [
        { target, of: "credentials" },
        { target, of: "events" }
      ]

export interface Plan {
  readonly input: Input
  /** The searches in the order in which they are sent. */
  readonly searches: ReadonlyArray<Search>
  /** Searches beyond `maxSearches`. */
  readonly overBudget: ReadonlyArray<Search>
  /** Targets that an earlier run found clean, and that are not searched again. */
  readonly knownClean: ReadonlyArray<Target>
  /** Values that are not searched, with the reason. */
  readonly ineligible: ReadonlyArray<Ineligible>
  /** The values of all targets, to mask each of them also in the evidence of others. */
  readonly targetValues: ReadonlyArray<Redacted.Redacted>
  /**
   * Hidden and ineligible values, which are masked too. Short ones are left out, because masking them would damage
   * other words.
   */
  readonly otherValues: ReadonlyArray<Redacted.Redacted>
  /** "41 values, 2 domains: 86 searches; 12 values found clean in an earlier run". */
  readonly summary: string
}

/**
 * Named secrets come first, then values that the change adds, then domains, then other values; each group by
 * confidence.
 */
export const make = Effect.fn("Plan.make")(function* (input: Input): Effect.fn.Return<Plan> {
  const { settings } = input
  const now = yield* DateTime.now
  const cache = yield* CleanCache
  const values = valuesOf(input.secrets ?? [], input.added ?? [], input.candidates ?? [])
  const ineligible: Array<Ineligible> = []
  const otherValues = [...(input.hidden ?? [])]
  const wanted: Array<ValueTarget> = []
  for (const target of values) {
    const reason = whyIneligible(target, settings.minConfidence, now)
    if (reason === undefined) wanted.push(target)
    else {
      ineligible.push({ subject: subjectOf(target), reason })
      otherValues.push(target.value)
    }
  }
  const domains =
    settings.domainLeaks === "off"
      ? []
      : [...domainTargets(input.domains, "address"), ...domainTargets(input.loginDomains, "login")]
  const ordered = [...wanted, ...domains].toSorted((a, b) => rankOf(a) - rankOf(b) || confidenceOf(b) - confidenceOf(a))
  const clean = yield* cache.knownClean(ordered, settings)
  const targets = ordered.filter((target) => !clean.has(target))
  const all = targets.flatMap(searchesOf)
  const budget = Math.max(0, Math.floor(settings.maxSearches))
  const knownClean = ordered.filter((target) => clean.has(target))
  const searches = all.slice(0, budget)
  return {
    input,
    searches,
    overBudget: all.slice(budget),
    knownClean,
    ineligible,
    targetValues: wanted.map(({ value }) => value),
    otherValues: otherValues.filter((value) => Redacted.value(value).length >= minValueLength),
    summary: summaryOf(targets, searches.length, all.length, knownClean, settings)
  }
})

const domainTargets = (
  domains: ReadonlyArray<string> | undefined,
  searchedBy: DomainTarget["searchedBy"]
): ReadonlyArray<Target> => [...new Set(domains)].map((domain) => ({ _tag: "Domain", domain, searchedBy }))

const rankOf = (target: Target) => (target._tag === "Domain" ? 2 : target.names.length > 0 ? 0 : target.isAdded ? 1 : 3)

const confidenceOf = (target: Target) => (target._tag === "Domain" ? 1 : target.confidence)

const summaryOf = (
  targets: ReadonlyArray<Target>,
  searches: number,
  wanted: number,
  knownClean: ReadonlyArray<Target>,
  settings: Settings
) =>
  [
    targets.length === 0 ? "nothing to search" : `${targetCounts(targets)}: ${counted(searches, "search")}`,
    ...(wanted > searches
      ? [`; ${counted(wanted - searches, "search")} over the budget of ${settings.maxSearches}`]
      : []),
    ...(knownClean.length > 0 ? [`; ${targetCounts(knownClean)} found clean in an earlier run`] : [])
  ].join("")

const targetCounts = (targets: ReadonlyArray<Target>) => {
  const domains = targets.filter(({ _tag }) => _tag === "Domain").length
  const values = targets.length - domains
  return [...(values > 0 ? [counted(values, "value")] : []), ...(domains > 0 ? [counted(domains, "domain")] : [])].join(
    ", "
  )
}

/** The data that the page of the overview shows. */
import type { Overview } from "./Overview.ts"

/** Upper limits for one press of the load button. */
export interface LoadPlan {
  /** Number of identifiers and saved searches. */
  readonly sources: number
  /** Number of requests; 0 once the last twelve months are loaded completely. */
  readonly requests: number
  /** Number of requests that each cost one search of the quota. */
  readonly searches: number
}

/** The accounts found by one credential search. */
export interface Accounts {
  /** Id of the search. */
  readonly search: string
  readonly name: string
  readonly found: number
  readonly hasMore: boolean
}

/** The origin of the numbers. */
export interface NumbersState {
  /**
   * `tenant`: open events of the tenant. `searches`: loaded results of searches, because the tenant has no events.
   * `loaded`: the same, because the service does not list the tenant's events.
   */
  readonly source: "tenant" | "searches" | "loaded"
  /** Time of the numbers in milliseconds since 1970; undefined if they are current. */
  readonly asOf: number | undefined
  readonly isLoading: boolean
  /** Number of events loaded so far. */
  readonly loaded: number
  /** Reason why the numbers are old or incomplete. */
  readonly problem: string | undefined
}

export interface OverviewContent {
  readonly overview: Overview
  readonly numbers: NumbersState
  /** Milliseconds since 1970. */
  readonly now: number
  /** End of the last visit, ISO 8601. */
  readonly since: string | undefined
  readonly load: LoadPlan
  readonly accounts: ReadonlyArray<Accounts>
  /** Number of distinct accounts in all these searches. */
  readonly accountsFound: number
  /** Domains whose accounts were not looked up yet. */
  readonly domains: ReadonlyArray<string>
  /** Result of the last leak check; undefined if there is none. */
  readonly check: { readonly leaked: number; readonly verdict: string; readonly isWhole: boolean } | undefined
  /** Remaining search quota as last reported by the service. */
  readonly searchesLeft: number | undefined
  /** Masks names if masking is on. */
  readonly hide: (name: string) => string
}

/** The content of the overview: all that its page shows, as data. */
import type { Overview } from "./Overview.ts"

/** The most that one press of the button loads. */
export interface LoadPlan {
  /** Identifiers and saved searches that can be asked. */
  readonly sources: number
  /** 0 once all of the last twelve months is loaded. */
  readonly requests: number
  /** The number of requests that cost a search of the quota. */
  readonly searches: number
}

/** The accounts that one search of credentials brought. */
export interface Accounts {
  /** The id of the search. */
  readonly search: string
  readonly name: string
  readonly found: number
  readonly hasMore: boolean
}

/** Where the numbers come from. */
export interface NumbersState {
  /**
   * The open events of the tenant; or, because it has none, what the views and the button have loaded of searches; or the
   * same, because the service does not list the events of the tenant.
   */
  readonly source: "tenant" | "searches" | "loaded"
  /** When the numbers were current, in milliseconds since 1970; undefined if they are now. */
  readonly asOf: number | undefined
  readonly isLoading: boolean
  /** How many events are loaded by now. */
  readonly loaded: number
  /** Why they are not newer, or not complete. */
  readonly problem: string | undefined
}

export interface OverviewContent {
  readonly overview: Overview
  readonly numbers: NumbersState
  /** Milliseconds since 1970. */
  readonly now: number
  /** When the last visit ended, in ISO 8601. */
  readonly since: string | undefined
  readonly load: LoadPlan
  readonly accounts: ReadonlyArray<Accounts>
  /** The accounts of all of these searches together. */
  readonly accountsFound: number
  /** Domains whose accounts were not looked up yet. */
  readonly domains: ReadonlyArray<string>
  /** The result of the last leak check. */
  readonly check: { readonly leaked: number; readonly verdict: string; readonly isWhole: boolean } | undefined
  /** As the service last said. */
  readonly searchesLeft: number | undefined
  /** Masks names while a screen is shared. */
  readonly hide: (name: string) => string
}

/** Turns candidates and domains into a report: `plan` the check, show its cost, `run` it. */
import type { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { Credentials } from "@threat-exposure/core/client/Credentials"
import type { Events } from "@threat-exposure/core/client/Events"
import { Data, DateTime, Effect } from "effect"
import type { Plan } from "./search/Plan.ts"
import type { Report } from "./Report.ts"
import type { SearchRefusal } from "./search/SearchResults.ts"
import { type RunOptions, runSearches } from "./search/SearchRun.ts"
import { reportOf } from "./verdict/Verdict.ts"

export { make as plan } from "./search/Plan.ts"
export { skip } from "./Skip.ts"
export type { Progress, RunOptions } from "./search/SearchRun.ts"

/** The token is invalid or lacks a permission, or the path prefix is wrong. */
export class SearchesRefused extends Data.TaggedError("SearchesRefused")<{
  readonly refusal: SearchRefusal
  /** Contains the results so far. */
  readonly report: Report
}> {
  override get message() {
    return this.refusal.message
  }
}

/**
 * Runs the planned searches, at most four at a time. If a refusal applies to every search, the run fails with
 * SearchesRefused, which contains the report so far. After other failures of the service, the report says which targets
 * were not searched, and why.
 */
export const run = Effect.fn("LeakCheck.run")(function* (
  plan: Plan,
  options?: RunOptions
): Effect.fn.Return<Report, SearchesRefused, ApiClient | Credentials | Events> {
  const startedAt = yield* DateTime.now
  const results = yield* runSearches(plan, options)
  const report = yield* reportOf(plan, { startedAt, results, skipped: null })
  const { refused } = results
  return refused === undefined ? report : yield* new SearchesRefused({ refusal: refused, report })
})

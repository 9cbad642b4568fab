/** A leak check from candidates and domains to a report: `plan` it, show what it costs, `run` it. */
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

/** The token is not valid or lacks a permission, or the path prefix is wrong. */
export class SearchesRefused extends Data.TaggedError("SearchesRefused")<{
  readonly refusal: SearchRefusal
  /** With the results so far. */
  readonly report: Report
}> {
  override get message() {
    return this.refusal.message
  }
}

/**
 * Runs the searches of the plan, at most four at a time. A refusal that every search would get ends it with that error,
 * which contains the report so far; other failures of the service leave targets unsearched, and the report says which and why.
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

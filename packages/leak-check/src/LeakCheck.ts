/** A leak check from candidates and domains to a report: `plan` it, show what it costs, `run` it (DESIGN section 6). */
import type { Forbidden, Unauthorized } from "@threat-exposure/core/client/ApiError"
import type { Effect } from "effect"
import type { Plan } from "./Plan.ts"
import type { Report, Subject } from "./Report.ts"
import type { Searches } from "./Searches.ts"

export { make as plan } from "./Plan.ts"

/** What a run has done so far; it is told after each search. */
export interface Progress {
  readonly searched: number
  readonly planned: number
  /** Targets with evidence so far, whether or not they count. */
  readonly leaked: number
  readonly subject: Subject
  readonly of: "credentials" | "events"
}

export interface RunOptions {
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
}

/** Spends the plan, four searches at a time at most. A token that is refused ends it; any other fault of the service leaves targets unsearched. */
export declare const run: (
  plan: Plan,
  options?: RunOptions
) => Effect.Effect<Report, Unauthorized | Forbidden, Searches>

/** The report of a check that could not search at all, with what it would have searched as unsearched. */
export declare const skip: (plan: Plan, reason: string) => Effect.Effect<Report>

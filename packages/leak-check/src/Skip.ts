/** A check without searches. This module loads nothing of the client. */
import { DateTime, Effect } from "effect"
import type { Plan } from "./search/Plan.ts"
import type { Report } from "./Report.ts"
import { reportOf } from "./verdict/Verdict.ts"

/** The report of a check that could not search at all: every target of the plan is unsearched. */
export const skip = Effect.fn("LeakCheck.skip")(function* (plan: Plan, reason: string): Effect.fn.Return<Report> {
  const unanswered = [...plan.searches, ...plan.overBudget].map((search) => ({
    search,
    reason: "skipped" as const,
    detail: reason
  }))
  return yield* reportOf(plan, {
    startedAt: yield* DateTime.now,
    results: { sent: 0, answers: new Map(), unanswered, quotaRemaining: undefined },
    skipped: reason
  })
})

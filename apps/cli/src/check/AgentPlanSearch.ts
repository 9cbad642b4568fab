/** Runs the searches of a plan for a coding agent. */
import { counted } from "@threat-exposure/leak-check/Counted"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import { Clone } from "@threat-exposure/leak-check/range/Clone"
import { counting, isComplete, type Leak } from "@threat-exposure/leak-check/Report"
import { reportedFailure } from "@threat-exposure/leak-check/search/FailureText"
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import { cleanTargets, runSearches } from "@threat-exposure/leak-check/search/SearchRun"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { silentClient } from "../connection/Client.ts"
import type { Connection } from "../connection/Connection.ts"
import { printable } from "../output/Output.ts"
import type { AgentVerdict } from "./AgentSearch.ts"

/** The plan needs no name of the repository: only fingerprints of leaks contain it. */
export const searchPlan = Effect.fnUntraced(function* (plan: Plan, connection: Connection) {
  const startedAt = yield* DateTime.now
  const results = yield* Effect.provide(runSearches(plan), silentClient(connection))
  const verdict: AgentVerdict = { leaks: [] }
  if (results.refused !== undefined) return { ...verdict, incomplete: printable(reportedFailure(results.refused)) }
  const targets = new Set([...plan.searches, ...plan.overBudget].map(({ target }) => target))
  if (cleanTargets(results).length === targets.size) return verdict
  // Loaded late: the report needs all rules of the detection, to redact other secrets.
  const { reportOf } = yield* Effect.promise(() => import("@threat-exposure/leak-check/verdict/Verdict"))
  const repository = yield* Effect.flatMap(Clone, (clone) => clone.repositoryName)
  const report = yield* reportOf(
    { ...plan, input: { ...plan.input, repository } },
    { startedAt, results, skipped: null }
  ).pipe(Effect.provide(scryptLayer))
  return {
    leaks: counting(report).map(sentenceOf),
    incomplete: isComplete(report) ? undefined : (report.unsearched[0]?.detail ?? "not everything was searched")
  }
})

const sentenceOf = ({ credentials, events, subject }: Leak): string => {
  const name = subject.type === "value" ? (subject.locations[0]?.name ?? subject.kind) : subject.domain
  return `${printable(name)} is a secret that has leaked (${counted(credentials.length, "credential")}, ${counted(events.length, "event")}).`
}

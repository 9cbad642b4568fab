/** Whether candidates in what a coding agent does have leaked: by the settings and the ignore file of the repository. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { settingsOf } from "@threat-exposure/leak-check/config/ConfigSettings"
import { plan as planOf, run } from "@threat-exposure/leak-check/LeakCheck"
import { counted } from "@threat-exposure/leak-check/Counted"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { counting, isComplete, type Leak } from "@threat-exposure/leak-check/Report"
import { layerNoDeps as scannerLayer } from "@threat-exposure/detect/node/NodeScanner"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { resolveConnection, silentClient } from "../connection/Connection.ts"
import { callerPath } from "../request/CallerPath.ts"
import { printable } from "../output/Output.ts"
import { appliedSettings, ignored } from "./AppliedSettings.ts"
import { noSettingFlags } from "./CheckFlags.ts"
import { nothingSelected } from "./Selection.ts"
import { topFolderOf } from "./Worktree.ts"

export interface AgentVerdict {
  /** Sentences; empty if nothing is known to have leaked. */
  readonly leaks: ReadonlyArray<string>
  /** Why not everything was checked. */
  readonly incomplete?: string | undefined
}

export const searchCandidates = Effect.fnUntraced(
  function* (candidates: ReadonlyArray<Candidate>) {
    const connection = yield* Effect.result(resolveConnection)
    if (connection._tag === "Failure") return { leaks: [], incomplete: connection.failure.message }
    const folder = yield* callerPath(".")
    const top = yield* Effect.orElseSucceed(topFolderOf(folder), () => undefined)
    const root = top ?? folder
    return yield* Effect.provide(search(candidates, root), cloneLayer({ root }))
  },
  Effect.provide([scannerLayer, scryptLayer])
)

const search = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, root: string) {
  const applied = yield* appliedSettings(noSettingFlags, { root, event: undefined })
  const plan = yield* planOf({
    repository: yield* Effect.flatMap(Clone, (clone) => clone.repositoryName),
    settings: settingsOf(applied.settings, { isChange: false, now: yield* DateTime.now }),
    candidates,
    ...(yield* ignored(applied, { root, scan: nothingSelected.scan }))
  })
  const report = yield* run(plan).pipe(
    Effect.mapError(({ refusal }) => refusal),
    Effect.provide(silentClient)
  )
  const leaks = counting(report)
  const verdict: AgentVerdict = {
    leaks: leaks.map(sentenceOf),
    incomplete: isComplete(report) ? undefined : (report.unsearched[0]?.detail ?? "not everything was searched")
  }
  return verdict
})

const sentenceOf = ({ credentials, events, subject }: Leak): string => {
  const name = subject.type === "value" ? (subject.locations[0]?.name ?? subject.kind) : subject.domain
  return `${printable(name)} is a secret that has leaked (${counted(credentials.length, "credential")}, ${counted(events.length, "event")}).`
}

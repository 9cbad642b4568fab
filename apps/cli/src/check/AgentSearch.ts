/**
 * Whether candidates in an event of a coding agent have leaked, by the settings and the ignore file of the repository.
 */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { settingsOf } from "@threat-exposure/leak-check/config/ConfigSettings"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import { cacheFile } from "@threat-exposure/leak-check/node/CacheFile"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { layer as cleanCache } from "@threat-exposure/leak-check/search/CleanCache"
import { make as planOf } from "@threat-exposure/leak-check/search/Plan"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Connection, resolveConnection } from "../connection/Connection.ts"
import { cleanFileOf } from "../connection/UserFiles.ts"
import { callerPath } from "../request/CallerPath.ts"
import { appliedSettings, readIgnoreFile } from "./AppliedSettings.ts"
import { noSettingFlags } from "./CheckFlags.ts"
import { topFolderOf } from "./Worktree.ts"

export interface AgentVerdict {
  /** Sentences about leaked candidates; empty if none is known to have leaked. */
  readonly leaks: ReadonlyArray<string>
  /** Why the check is incomplete; undefined if everything was checked. */
  readonly incomplete?: string | undefined
}

export const searchCandidates = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
  const folder = yield* callerPath(".")
  const [connection, top] = yield* Effect.all(
    [Effect.result(resolveConnection), Effect.orElseSucceed(topFolderOf(folder), () => undefined)],
    { concurrency: "unbounded" }
  )
  if (connection._tag === "Failure") return { leaks: [], incomplete: connection.failure.message }
  const root = top ?? folder
  return yield* search(candidates, { root, connection: connection.success }).pipe(
    Effect.provide([cloneLayer({ root, isTop: top !== undefined }), knownClean(connection.success)])
  )
})

const search = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<Candidate>,
  { connection, root }: { readonly connection: Connection; readonly root: string }
) {
  const applied = yield* appliedSettings(noSettingFlags, { root, event: undefined })
  const plan = yield* planOf({
    repository: "",
    settings: settingsOf(applied.settings, { isChange: false, now: yield* DateTime.now }),
    candidates,
    ...(yield* readIgnoreFile(applied, { root, range: undefined }))
  })
  const verdict: AgentVerdict = { leaks: [] }
  // Loaded only for a search: the client is the largest part of a check.
  if (plan.searches.length === 0 && plan.overBudget.length === 0) return verdict
  const { searchPlan } = yield* Effect.promise(() => import("./AgentPlanSearch.ts"))
  return yield* searchPlan(plan, connection)
})

/** An agent uses the same values again and again: a value that was found clean costs no search for a week. */
const knownClean = ({ secret }: Connection) =>
  Layer.unwrap(
    Effect.map(
      Effect.all({
        HOME: environmentVariable("HOME"),
        LOCALAPPDATA: environmentVariable("LOCALAPPDATA"),
        XDG_CACHE_HOME: environmentVariable("XDG_CACHE_HOME")
      }),
      (variables) => {
        const file = cleanFileOf(variables)
        return file === undefined ? Layer.empty : cleanCache(cacheFile(file), secret)
      }
    )
  )

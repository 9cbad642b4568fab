/** Runs the searches of a check. Imports the client, so a check without searches does not load this module. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { Events } from "@threat-exposure/core/client/Events"
import { counted } from "@threat-exposure/leak-check/Counted"
import { type Progress, run } from "@threat-exposure/leak-check/LeakCheck"
import { reportedFailure } from "@threat-exposure/leak-check/search/FailureText"
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import { skip } from "@threat-exposure/leak-check/Skip"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { client } from "../connection/Client.ts"
import { type NotSignedIn, resolveConnection } from "../connection/Connection.ts"
import { printable, progressLine } from "../output/Output.ts"
import type { MachineName } from "./MachineNames.ts"

/**
 * Searches nothing without a token, as the report then says. If the service refuses all searches, returns the refusal
 * together with what was found.
 */
export const runSearches = Effect.fnUntraced(function* (plan: Plan, cancelled: Effect.Effect<void>) {
  const connection = yield* Effect.result(resolveConnection)
  if (connection._tag === "Failure") {
    if (connection.failure._tag !== "NotSignedIn") return yield* connection.failure
    const reason: NotSignedIn = connection.failure
    return { report: yield* skip(plan, reason.message), refused: undefined, isAnswered: false }
  }
  const progress = yield* progressLine
  let isAnswered = false
  const onProgress = ({ failed, planned, searched }: Progress) => {
    isAnswered ||= searched > failed
    return searched < planned ? progress.show(`${searched} of ${planned} searches`) : progress.clear
  }
  return yield* run(plan, { onProgress, until: cancelled }).pipe(
    Effect.map((report) => ({ report, refused: undefined, isAnswered })),
    Effect.catch(({ refusal, report }) => Effect.succeed({ report, refused: refusal, isAnswered })),
    Effect.provide(client)
  )
})

export interface StealerLogs {
  /** Sentences about the names that stealer logs contain. */
  readonly found: ReadonlyArray<string>
  /** Reasons why names could not be searched, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/**
 * Searches stealer logs, which malware copied from single machines, for names of a machine and its user; one search per
 * name.
 */
export const searchStealerLogs = Effect.fnUntraced(function* (names: ReadonlyArray<MachineName>) {
  const events = yield* Events
  const found: Array<string> = []
  const gaps: Array<string> = []
  for (const { title, value } of names) {
    const search = {
      query: { type: "query_string", query_string: `"${value.replaceAll(/["\\]/gu, "\\$&")}"` },
      filters: { type: ["stealer_log"] },
      order: "desc"
    } as const
    const page = yield* Effect.result(Stream.runHead(events.pages(search)))
    if (page._tag === "Failure") gaps.push(gapOf(title, page.failure))
    else {
      const items = Option.match(page.success, { onNone: () => [], onSome: ({ items }) => items })
      if (items.length === 0) continue
      const uids = items.slice(0, 3).map(({ metadata }) => metadata.uid)
      found.push(
        `The ${title} of this machine stands in ${counted(items.length, "stealer log")}: ${uids.map(printable).join(", ")}. Malware may have copied its passwords and cookies: threat-exposure event UID shows what it took`
      )
    }
  }
  const logs: StealerLogs = { found, gaps }
  return logs
}, Effect.provide(client))

const gapOf = (title: string, failure: ApiError): string =>
  `Stealer logs were not searched for the ${title}: ${printable(reportedFailure(failure))}`

/** Checks one event of a coding agent: an event that contains a leaked secret is refused. */
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import type { ScannedEvent } from "../hook/AgentEvent.ts"
import { type Agent, agentHooks, probeVariable } from "../hook/AgentHooks.ts"
import { printJson, say } from "../output/Output.ts"
import type { AgentVerdict } from "./AgentSearch.ts"

/**
 * The agent must not run the tool or send the prompt. All agents honour this exit code, with the reason on standard
 * error.
 */
export class EventRefused extends Schema.TaggedError<EventRefused>()("EventRefused", { message: Schema.String }) {
  readonly exitCode = exitCodes.usage
}

/** Confirms to a dry run of `hook install` that the agent calls the hook, and refuses its prompt. */
export const answerProbe = Effect.fnUntraced(function* (agent: Agent) {
  const probe = yield* environmentVariable(probeVariable)
  if (probe === undefined) return
  const files = yield* FileSystem.FileSystem
  yield* Effect.ignore(files.writeFileString(probe, "called\n"))
  return yield* refuse(agent, "This is a dry run of threat-exposure hook install")
})

export const checkAgentEvent = Effect.fnUntraced(function* ({
  agent,
  candidates,
  deadline,
  onIncomplete
}: ScannedEvent) {
  const started = Math.min(process.uptime() * 1000, maxStart)
  const { incomplete, leaks } = yield* verdictOn(candidates).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(Math.max(0, deadline - started)),
      orElse: () => Effect.succeed<AgentVerdict>({ leaks: [], incomplete: "the check did not end in time" })
    }),
    // Agents treat a crashed hook as permission.
    Effect.catchCause(() => Effect.succeed<AgentVerdict>({ leaks: [], incomplete: "the check failed" }))
  )
  if (leaks.length > 0) {
    return yield* refuse(
      agent,
      `Refused by threat-exposure: ${leaks.join(" ")} Do not use or repeat the value: ask for a new one.`
    )
  }
  if (incomplete === undefined) return
  if (onIncomplete === "warn") return yield* say(`Not checked by threat-exposure: ${incomplete} (--on-incomplete warn)`)
  return yield* refuse(
    agent,
    `Refused by threat-exposure, because there may be a secret in it that could not be checked: ${incomplete} (--on-incomplete fail)`
  )
})

/** Upper bound in milliseconds for starting a process, which counts towards the deadline. */
const maxStart = 1000

const refuse = Effect.fnUntraced(function* (agent: Agent, message: string) {
  const { decisionOf } = agentHooks[agent]
  if (decisionOf !== undefined) yield* printJson(decisionOf(message))
  return yield* new EventRefused({ message })
})

const verdictOn = Effect.fnUntraced(function* (candidates: ScannedEvent["candidates"]) {
  if (typeof candidates === "string") return { leaks: [], incomplete: candidates }
  if (candidates.length === 0) return { leaks: [] }
  const { searchCandidates } = yield* Effect.promise(() => import("./AgentSearch.ts"))
  return yield* searchCandidates(candidates)
})

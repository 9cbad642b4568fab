/** The check of one event of a coding agent: what is known to have leaked is refused. */
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import { candidatesOfEvent } from "../hook/AgentEvent.ts"
import { type Agent, agentHooks, probeVariable } from "../hook/AgentHooks.ts"
import { printJson, say } from "../output/Output.ts"
import { standardInput } from "../request/StandardInput.ts"
import type { AgentVerdict } from "./AgentSearch.ts"

/** The agent does not run the tool, or send the prompt. All agents honour this exit code with a reason on standard error. */
export class EventRefused extends Schema.TaggedError<EventRefused>()("EventRefused", { message: Schema.String }) {
  readonly exitCode = exitCodes.usage
}

export const checkAgentEvent = Effect.fnUntraced(function* ({
  agent,
  deadline,
  onIncomplete
}: {
  readonly agent: Agent
  readonly deadline: Duration.Duration
  readonly onIncomplete: "fail" | "warn"
}) {
  const probe = yield* environmentVariable(probeVariable)
  if (probe !== undefined) {
    const files = yield* FileSystem.FileSystem
    yield* Effect.ignore(files.writeFileString(probe, "called\n"))
    return yield* refuse(agent, "This is a dry run of threat-exposure hook install")
  }
  const { incomplete, leaks } = yield* verdict.pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => Effect.succeed<AgentVerdict>({ leaks: [], incomplete: "the check did not end in time" })
    }),
    // Agents treat a hook that crashes as one that allows the action.
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

const refuse = Effect.fnUntraced(function* (agent: Agent, message: string) {
  const { decisionOf } = agentHooks[agent]
  if (decisionOf !== undefined) yield* printJson(decisionOf(message))
  return yield* new EventRefused({ message })
})

const verdict = Effect.gen(function* () {
  const candidates = candidatesOfEvent(yield* standardInput)
  if (typeof candidates === "string") return { leaks: [], incomplete: candidates }
  if (candidates.length === 0) return { leaks: [] }
  const { searchCandidates } = yield* Effect.promise(() => import("./AgentSearch.ts"))
  return yield* searchCandidates(candidates)
})

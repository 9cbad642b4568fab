/** Checks an event in which the fast path of `AgentPrecheck.ts` found possible secrets. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Array from "effect/Array"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { watchOutputs } from "@threat-exposure/command-line/Process"
import { checkAgentEvent } from "../check/AgentCheck.ts"
import { gitOfCaller } from "../check/Worktree.ts"
import { baseUrlFlag, defaultProfile, pathPrefixFlag, profileFlag } from "../connection/ConnectionFlags.ts"
import { Keyring } from "../connection/Keyring.ts"
import { Profiles } from "../connection/Profiles.ts"
import { exitCodes } from "../ExitCode.ts"
import { quiet } from "../output/Output.ts"
import { cwdFlag } from "../request/CallerPath.ts"
import type { PrecheckedEvent } from "./AgentPrecheck.ts"

/** The global flags with their defaults. */
const flags = Layer.mergeAll(
  Layer.succeed(baseUrlFlag, Option.none()),
  Layer.succeed(pathPrefixFlag, Option.none()),
  Layer.succeed(profileFlag, defaultProfile),
  Layer.succeed(cwdFlag, Option.none()),
  Layer.succeed(quiet, false)
)

const machine = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

const services = Layer.merge(gitOfCaller, Layer.provideMerge(Profiles.layer, Keyring.layer)).pipe(
  Layer.provideMerge(Layer.merge(flags, machine))
)

export const checkEvent = ({ candidates, values, ...event }: PrecheckedEvent): void => {
  watchOutputs()
  const readable =
    typeof candidates === "string"
      ? candidates
      : Array.zipWith(candidates, values, (candidate, value) => ({ ...candidate, value: Redacted.make(value) }))
  // A defect must refuse the event.
  let exitCode: number = exitCodes.usage
  NodeRuntime.runMain(
    checkAgentEvent({ ...event, candidates: readable }).pipe(
      Effect.tap(() => Effect.sync(() => (exitCode = exitCodes.done))),
      Effect.provide(services),
      Effect.catch(({ message }) => Console.error(`error: ${message}`))
    ),
    { disableErrorReporting: true, teardown: (_, onExit) => setImmediate(() => onExit(exitCode)) }
  )
}

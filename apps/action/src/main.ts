/** Runs the action with the files, processes and network of the machine; exits with 1 if the step fails. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import { action } from "./action.ts"

const machine = Layer.provideMerge(NodeChildProcessSpawner.layer, Layer.merge(NodeFileSystem.layer, NodePath.layer))

NodeRuntime.runMain(action.pipe(Effect.provide(machine)), {
  disableErrorReporting: true,
  teardown: (exit) => {
    const code = Exit.isSuccess(exit) ? 0 : Cause.hasInterruptsOnly(exit.cause) ? 130 : 1
    process.exitCode = code
    // Do not wait for open handles, such as a cache service that does not answer.
    setTimeout(() => process.exit(code), 1000).unref()
  }
})

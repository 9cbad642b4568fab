#!/usr/bin/env node
/** The command line. */
import { getSystemErrorMessage } from "node:util"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { exitCodeOf, runCommand } from "./commands/CommandLine.ts"

let isOutputLost = false

/** Without a listener, Node drops output that cannot be written. EPIPE means that the reader, such as `head`, is done. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || isOutputLost) return
  isOutputLost = true
  const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno)
  process.stderr.write(`error: Standard output cannot be written: ${reason}. The output is not complete\n`)
})

NodeRuntime.runMain(
  Effect.flatMap(Stdio.Stdio, ({ args }) => args).pipe(Effect.flatMap(runCommand), Effect.provide(NodeServices.layer)),
  {
    disableErrorReporting: true,
    // A command for which being stopped is a failure has set the exit code.
    teardown: (exit, onExit) => {
      const code = exitCodeOf(exit) ?? Number(process.exitCode ?? 0)
      // The last write fails after this call.
      setImmediate(() => onExit(code === 0 && isOutputLost ? 1 : code))
    }
  }
)

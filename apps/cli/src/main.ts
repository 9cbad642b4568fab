#!/usr/bin/env node
/** Runs the command line with the machine's own files, processes and outputs. */
import "./output/limitHeap.ts"
import { getSystemErrorMessage } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { commandLine } from "./commandLine.ts"
import { exitCodes } from "./ExitCode.ts"

let isOutputLost = false

/**
 * Without it, Node drops output that standard output does not accept at once. A closed reader, such as `head`, needs no
 * more output.
 */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || isOutputLost) return
  isOutputLost = true
  const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno)
  process.stderr.write(`error: Standard output cannot be written: ${reason}. The output is not complete\n`)
})

// Without a listener, a reader of the messages that is gone would end the program, with the exit code of a leak.
process.stderr.on("error", () => undefined)

/**
 * npm passes no signal on to what `npx` runs, so the end of its shell counts as SIGTERM. Not in a script of npm, which may
 * end after it has started a feed in the background.
 */
const stopWithNpx = Effect.map(Config.option(Config.String("npm_command")), (command) => {
  if (!Option.contains(command, "exec")) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 200)
  watch.unref()
})

let exitCode: number = exitCodes.incomplete

NodeRuntime.runMain(
  Effect.andThen(stopWithNpx, commandLine).pipe(
    Effect.andThen((code) => Effect.sync(() => (exitCode = code))),
    Effect.provide(NodeServices.layer)
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(130)
      // The last write may fail only after this call.
      setImmediate(() => onExit(isOutputLost && exitCode === exitCodes.done ? exitCodes.incomplete : exitCode))
    }
  }
)

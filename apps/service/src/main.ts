#!/usr/bin/env node
/** The command line. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { exitCodeOf, runCommand } from "./commands/CommandLine.ts"
import { fileFailure } from "./FileFailure.ts"

let isOutputLost = false

/** Without a listener, Node drops output that cannot be written. EPIPE means that the reader, such as `head`, is done. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || isOutputLost) return
  isOutputLost = true
  process.stderr.write(`error: Standard output cannot be written: ${fileFailure(error)}. The output is not complete\n`)
})

// Without a listener, a reader of the log that is gone would end the service.
process.stderr.on("error", () => undefined)

/**
 * npm passes no signal on to what `npx` runs, so the end of its shell counts as SIGTERM. Not in a script of npm, which may
 * end after it has started the service in the background.
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

/** The end of its terminal stops it as SIGTERM does. Node would end at once, even under `nohup`: it resets that signal. */
process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))

NodeRuntime.runMain(
  Effect.andThen(
    stopWithNpx,
    Effect.flatMap(Stdio.Stdio, ({ args }) => args)
  ).pipe(Effect.flatMap(runCommand), Effect.provide(NodeServices.layer)),
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

/** The process of a program: its outputs, and what stops it. */
import { fstatSync, readSync, statSync } from "node:fs"
import { devNull } from "node:os"
import { getSystemErrorMessage } from "node:util"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { systemError } from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"

/**
 * Reports once that standard output cannot be written, and gives whether that has happened. Without a listener, Node drops
 * output that is not accepted at once, and a reader of the messages that is gone ends the program. A closed reader, such as
 * `head`, needs no more output.
 */
export const watchOutputs = (): (() => boolean) => {
  let isLost = false
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isLost) return
    isLost = true
    const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno)
    process.stderr.write(`error: Standard output cannot be written: ${reason}. The output is not complete\n`)
  })
  process.stderr.on("error", () => undefined)
  return () => isLost
}

/** Standard output that fails if it was closed at the start, instead of losing everything that is written. */
export const openOutput = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) =>
    isOutputClosed()
      ? Stdio.make({
          ...stdio,
          stdout: () => Sink.fail(systemError({ _tag: "BadResource", module: "Stdio", method: "stdout" }))
        })
      : stdio
  )
)

/** Node replaces a closed output with the null device, opened for reading as well. A shell opens it for writing only. */
const isOutputClosed = (): boolean => {
  try {
    return fstatSync(1).rdev === statSync(devNull).rdev && readSync(1, new Uint8Array(1)) === 0
  } catch {
    return false
  }
}

/** The end of its terminal stops a program as SIGTERM does. Node would end at once, even under `nohup`: it resets that signal. */
export const stopWithTerminal = (): void => {
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
}

/**
 * npm passes no signal on to what `npx` runs, so the end of its shell counts as SIGTERM. Not in a script of npm, which may
 * end after it has started the program in the background.
 */
export const stopWithNpx = Effect.map(Config.option(Config.String("npm_command")), (command) => {
  if (!Option.contains(command, "exec")) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 200)
  watch.unref()
})

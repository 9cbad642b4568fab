/** The process of a program: its outputs, and what stops it. */
import { getSystemErrorMessage } from "node:util"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

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

/** The log on standard error, whose lines are written together. Never log a secret, a query, a body or a token. */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

/** `text` for people at a terminal, `json` for a log collector. */
export type LogFormat = "text" | "json"

export type Level = "info" | "warn" | "error"

/** Undefined values are omitted. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

export class Log extends Context.Service<
  Log,
  {
    write(level: Level, message: string, fields: Fields): void
  }
>()("@threat-exposure/service/observability/Log") {
  /** Also receives `Effect.log` and, with `json`, `Console.error`, whose lines a collector cannot parse. */
  static readonly layer = (format: LogFormat) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const console = yield* Console.Console
        let lines: Array<string> = []
        const lineOf = format === "json" ? jsonLine : textLine
        const flush = () => {
          if (lines.length > 0) console.error(lines.join("\n"))
          lines = []
        }
        const log = Log.of({
          write: (level, message, fields) => {
            if (lines.push(lineOf(timeOf(clock.currentTimeMillisUnsafe()), level, message, fields)) === maxLines)
              flush()
          }
        })
        yield* Effect.addFinalizer(() => Effect.sync(flush))
        yield* Effect.sync(flush).pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)
        const logging = Layer.merge(Layer.succeed(Log, log), Logger.layer([effectLogger(log)]))
        return format === "json" ? Layer.merge(logging, Layer.succeed(Console.Console, logTo(log, console))) : logging
      })
    )

  static readonly layerSilent = Layer.succeed(Log, Log.of({ write: () => {} }))
}

/** More lines would survive a minor collection, which makes its pauses longer. */
const maxLines = 50

/** The stack of a failure. For a schema error without the message, because it contains the data. */
export const describeFailure = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const stack = cause.stack ?? cause.message
  if (!Schema.isSchemaError(cause)) return stack
  return [cause.name, ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
}

/** Replaces characters that could break a line or control a terminal. */
export const printable = (text: string): string => (/^[ -~]*$/.test(text) ? text : text.replaceAll(/\p{C}/gu, "?"))

/** Formatting a time costs as much as the rest of a line, and many lines have the same. */
const timeOf = (() => {
  let last = 0
  let text = ""
  return (now: number): string => {
    if (now !== last) text = new Date((last = now)).toISOString()
    return text
  }
})()

const effectLogger = (log: Log["Service"]) =>
  Logger.map(Logger.formatStructured, ({ annotations, cause, level, message }) => {
    const fields = Object.entries(annotations).map(([name, value]) => [name, String(value)] as const)
    log.write(levels[level] ?? "info", [message].flat().map(String).join(" "), { ...Object.fromEntries(fields), cause })
  })

const logTo = (log: Log["Service"], console: Console.Console): Console.Console => ({
  ...console,
  error: (...notice) => log.write("info", notice.map(String).join(" "), {})
})

const levels: Readonly<Record<string, Level>> = { FATAL: "error", ERROR: "error", WARN: "warn" }

const jsonLine = (time: string, level: Level, message: string, fields: Fields): string =>
  JSON.stringify({ time, level, message, ...fields })

const textLine = (time: string, level: Level, message: string, fields: Fields): string => {
  let line = `${time} ${level} ${printable(message)}`
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    line += ` ${name}=${typeof value !== "string" || plain.test(value) ? value : printable(JSON.stringify(value))}`
  }
  return line
}

const plain = /^[\w.:/@+,-]+$/

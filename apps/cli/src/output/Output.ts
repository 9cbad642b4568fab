/** Results go to standard output; messages and progress go to standard error. */
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as CliOutput from "effect/cli/CliOutput"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { exitCodes } from "../ExitCode.ts"

export const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withOptionalValue("true"),
    Flag.withDefault(false),
    Flag.withDescription("Print JSON: one document, or one line per item of a listing")
  )
})

const color = GlobalFlag.Setting("color")({
  flag: Flag.Boolean("color").pipe(
    Flag.withOptionalValue("true"),
    Flag.withDefault(true),
    Flag.withDescription("Colour on a terminal; --no-color and the variable NO_COLOR turn it off")
  )
})

export const quiet = GlobalFlag.Setting("quiet")({
  flag: Flag.Boolean("quiet").pipe(
    Flag.withOptionalValue("true"),
    Flag.withDefault(false),
    Flag.withDescription("Print results and errors only, no messages or progress")
  )
})

export const outputFlags = [json, color, quiet] as const

export const print = (line: string) => Console.log(line)

/** Prints a value of the result as a line of JSON. */
export const printJson = (value: unknown) => print(jsonText(value))

/**
 * JSON that is safe on a terminal and is one line for every reader. Escapes the characters above U+001F that control a
 * terminal, reorder text or end a line for some readers, which `JSON.stringify` does not. Replaces lone surrogates,
 * because many readers reject a text with them.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  escapedText(wellFormedJson(JSON.stringify(value, null, indent)))

/** `JSON.stringify` escapes surrogates only if they are lone. */
const wellFormedJson = (json: string): string =>
  json.includes("\\ud")
    ? json.replaceAll(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/gu, (escape, half) => (half === undefined ? escape : "\ufffd"))
    : json

/** Escapes characters that control a terminal or reorder text, in a quoted string of JSON or YAML. */
export const escapedText = (quoted: string): string =>
  quoted.replaceAll(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--\n]/gv, (character) =>
    Array.from({ length: character.length }, (_, unit) => escapedUnit(character.charCodeAt(unit))).join("")
  )

const escapedUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`

/** Prints lines of the result, and fails if standard output does not accept all of them. */
export const printAll = Effect.fnUntraced(function* (lines: Iterable<string>) {
  yield* writeOutput(Stream.map(Stream.fromIterable(lines), (line) => `${line}\n`))
})

/** Writes to standard output, and fails if it does not accept everything. */
export const writeOutput = Effect.fnUntraced(function* (content: Stream.Stream<string | Uint8Array>) {
  const stdio = yield* Stdio.Stdio
  yield* Effect.mapError(Stream.run(content, stdio.stdout({ endOnDone: false })), () => new OutputLost())
})

/** Standard output is closed, or its disk is full. */
export class OutputLost extends Schema.TaggedError<OutputLost>()("OutputLost", {}) {
  readonly exitCode = exitCodes.incomplete

  override get message() {
    return "Only part of the result could be written to standard output"
  }
}

/** Prints a one-line message, unless `--quiet`. Parts of it may be untrusted. */
export const say = Effect.fnUntraced(function* (message: string) {
  if (yield* quiet) return
  const line = yield* ProgressShown
  // One write, so that no progress line can come between.
  const clear = line.isShown ? clearLine : ""
  line.isShown = false
  yield* Console.error(`${clear}${printable(message)}`)
})

/** Whether standard error can show progress: it is a terminal that can clear a line, and `--quiet` is not set. */
export const showsProgress = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const term = yield* Effect.orElseSucceed(Config.String("TERM"), () => "")
  return !(yield* quiet) && term !== "dumb" && (yield* stdio.stderrIsTerminal)
})

/**
 * Shows the latest progress on one line of a terminal; elsewhere it does nothing. Call `clear` at the end; messages
 * clear the line themselves.
 */
export const progressLine = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const line = yield* ProgressShown
  const write = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  const show = (text: string) =>
    Effect.flatMap(terminal.columns, (columns) => {
      line.isShown = true
      // A text as wide as the terminal would wrap.
      return write(`\r${shorten(printable(text), (columns || 80) - 1)}\u001b[K`)
    })
  const clear = Effect.suspend(() => {
    if (!line.isShown) return Effect.void
    line.isShown = false
    return write(clearLine)
  })
  return { show: (yield* showsProgress) ? show : () => Effect.void, clear }
})

/** Whether the terminal currently shows a progress line. */
const ProgressShown = Context.Reference("@threat-exposure/cli/output/Output/ProgressShown", {
  defaultValue: () => ({ isShown: false })
})

const clearLine = "\r\u001b[K"

/** Services that {@link say} needs. */
export type Saying = Effect.Services<ReturnType<typeof say>>

/** Whether standard output shows colors: it is a terminal, and neither `TERM` nor `NO_COLOR` disables them. */
const hasColors = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  return (yield* color) && canColor
})

/** Options for printing a table; no width if standard output is not a terminal. */
export const tableOptions = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  // The width of a terminal may be unknown.
  const width = (yield* stdio.stdoutIsTerminal) ? (yield* terminal.columns) || 80 : undefined
  return { colors: yield* hasColors, width }
})

/**
 * Makes untrusted text safe to print on a terminal: control characters, line breaks and characters that reorder text
 * become spaces.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()

/**
 * Width in columns of a terminal. Fast path: most texts contain only characters of width one, and need no segmenter.
 */
export const displayWidth = (text: string): number =>
  /^[ -~]*$/u.test(text) ? text.length : CliOutput.displayWidth(text)

/** Shortens the text to `width` columns, with an ellipsis for the omitted part. */
export const shorten = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  let shown = ""
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (displayWidth(shown + segment) > width - 1) break
    shown += segment
  }
  return `${shown}…`
}

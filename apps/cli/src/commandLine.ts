/** The whole program, over abstract services: `main.ts` runs it with those of Node. */
import type { NodeServices } from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { withoutChoices } from "@threat-exposure/command-line/HelpDoc"
import { printUsageErrors } from "@threat-exposure/command-line/UsageError"
import { isApiError } from "@threat-exposure/core/client/ApiError"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import manifest from "../package.json" with { type: "json" }
import { gitOfCaller } from "./check/Worktree.ts"
import { completions } from "./commands/completions.ts"
import { connectionFlags } from "./connection/ConnectionFlags.ts"
import { Keyring } from "./connection/Keyring.ts"
import { Profiles } from "./connection/Profiles.ts"
import { exitCodeOf, exitCodes } from "./ExitCode.ts"
import { cwdFlag } from "./request/CallerPath.ts"
import { wrapHelp, wrapMessage } from "./output/HelpText.ts"
import { outputFlags, printable } from "./output/Output.ts"

/** Imports the module of each command on demand. In the order of the help text. */
const commandModules = {
  check: async () => [(await import("./commands/check.ts")).check],
  ignore: async () => [(await import("./commands/ignore.ts")).ignore],
  rules: async () => [(await import("./commands/rules.ts")).rules],
  hook: async () => [(await import("./commands/hook.ts")).hook],
  login: async () => [(await import("./commands/login.ts")).login],
  logout: async () => [(await import("./commands/login.ts")).logout],
  whoami: async () => [(await import("./commands/whoami.ts")).whoami],
  quota: async () => [(await import("./commands/whoami.ts")).quota],
  search: async () => [(await import("./commands/search.ts")).search],
  event: async () => [(await import("./commands/search.ts")).event],
  events: async () => [(await import("./commands/events.ts")).events],
  identifiers: async () => [(await import("./commands/identifiers.ts")).identifiers],
  groups: async () => [(await import("./commands/groups.ts")).groups],
  policies: async () => [(await import("./commands/policies.ts")).policies],
  recommendations: async () => [(await import("./commands/recommendations.ts")).recommendations],
  reports: async () => [(await import("./commands/reports.ts")).reports],
  plan: async () => [(await import("./commands/plan.ts")).plan],
  apply: async () => [(await import("./commands/plan.ts")).apply],
  export: async () => [(await import("./commands/export.ts")).exportCommand],
  feed: async () => [(await import("./commands/feed.ts")).feed],
  accounts: async () => [(await import("./commands/accounts.ts")).accounts],
  mcp: async () => [(await import("./commands/mcp.ts")).mcp]
}

/** The commands that the arguments may name; all commands for help, completions and unknown names. */
const commandsIn = (args: ReadonlyArray<string>) => {
  const names = Record.keys(commandModules)
  const named = names.filter((name) => args.includes(name))
  const [first = ""] = args
  const isVersion = args.length === 1 && first === "--version"
  // An unknown command may be followed by an argument that is the name of a known one.
  const isKnown = named.length > 0 && (first.startsWith("-") || named.some((name) => name === first))
  const needed = isKnown || isVersion ? named : names
  return Effect.map(
    Effect.promise(() => Promise.all(needed.map((name) => commandModules[name]()))),
    (commands) => commands.flat()
  )
}

const settings = [...outputFlags, ...connectionFlags, cwdFlag] as const

const programFor = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const commands = yield* commandsIn(args)
  const { names } = yield* Profiles
  const profiles = Effect.orElseSucceed(names, () => [])
  return Command.make("threat-exposure").pipe(
    Command.withDescription("Find out which of your secrets, accounts and data have leaked"),
    Command.withSubcommands(commands),
    Command.provide(gitOfCaller),
    Command.withGlobalFlags([...settings, completions([GlobalFlag.Help, ...settings], profiles)])
  )
})

const presenter = Layer.effect(
  CliOutput.Presenter,
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    const terminal = yield* Terminal.Terminal
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    // The help is shown before the flag is parsed.
    const isPlain = (yield* stdio.args).includes("--no-color")
    const formatter = CliOutput.defaultFormatter({ colors: canColor && !isPlain })
    return {
      present: Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
        if (event._tag === "Version") return yield* CliOutput.defaultPresenter.present(event)
        if (event._tag === "Help") {
          const text = formatter.formatHelpDoc(withoutChoices(event.helpDoc))
          return yield* Console.log((yield* stdio.stdoutIsTerminal) ? wrapHelp(text, yield* terminal.columns) : text)
        }
        return yield* printUsageErrors(event)
      })
    }
  })
)

/** Wraps the messages at word boundaries for a terminal. */
const messages = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const console = yield* Console.Console
  if (!(yield* stdio.stderrIsTerminal)) return console
  const columns = (yield* terminal.columns) || 80
  const error = (text: string) => console.error(wrapMessage(text, columns))
  return Object.assign(Object.create(console), { error })
})

const cliOutput = Layer.mergeAll(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }), presenter)

/** Commands print all messages for users themselves. Logs would go to standard output, which is for results. */
const noLog = Logger.layer([])

/** Shows only the kind and the stack frames of a defect: its message may contain data. */
const describe = (failure: unknown) => {
  if (isApiError(failure)) return failureText(failure)
  if (Predicate.hasProperty(failure, "exitCode")) {
    const message = Predicate.hasProperty(failure, "message") ? String(failure.message) : ""
    // The message may contain control characters from a repository.
    return message.split("\n").map(printable).join("\n")
  }
  const frames =
    failure instanceof Error ? (failure.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line)) : []
  const kind = failure instanceof Error ? failure.name : typeof failure
  return [`internal error (${kind}); please report it with these lines`, ...frames.slice(0, 5)].join("\n")
}

/** Runs the command that the arguments name, and returns the exit code. Failures are written to standard error. */
export const commandLine: Effect.Effect<number, never, NodeServices> = Effect.flatMap(
  Stdio.Stdio,
  ({ args }) => args
).pipe(
  Effect.map(([first, ...rest]) => {
    if (first !== "help") return first === undefined ? [] : [first, ...rest]
    // For an unknown command with `--help`, the parser would print the help of the whole program.
    const [command = "-"] = rest
    return command.startsWith("-") || Object.hasOwn(commandModules, command) ? [...rest, "--help"] : rest
  }),
  Effect.flatMap((args) =>
    Effect.flatMap(programFor(args), (program) => Command.runWith(program, { version: manifest.version })(args))
  ),
  Effect.as<number>(exitCodes.done),
  Effect.catchCause((cause) => {
    const failure = Cause.squash(cause)
    // At a prompt, Ctrl-C fails with a quit error instead of a signal.
    if (Cause.hasInterruptsOnly(cause) || Terminal.isQuitError(failure)) return Effect.interrupt
    // The report of a check or the presenter of usage errors has already said it.
    const message = CliError.isCliError(failure) ? "" : describe(failure)
    return Effect.as(message === "" ? Effect.void : Console.error(`error: ${message}`), exitCodeOf(failure))
  }),
  Effect.provideServiceEffect(Console.Console, messages),
  Effect.provide([cliOutput, noLog, Layer.provideMerge(Profiles.layer, Keyring.layer)])
)

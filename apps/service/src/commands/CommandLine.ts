import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { withoutChoices } from "@threat-exposure/command-line/HelpDoc"
import { completionsFlag } from "@threat-exposure/command-line/ShellFlag"
import { printUsageErrors } from "@threat-exposure/command-line/UsageError"
import manifest from "../../package.json" with { type: "json" }
import { Log } from "../observability/Log.ts"
import { wrongUse } from "./CommandFailed.ts"

const logFormat = GlobalFlag.Setting("log")({
  flag: Flag.Literals("log", ["text", "json"]).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDefault("text"),
    Flag.withDescription(
      "Format of the log on standard error: text for a terminal, json for a collector (default: text)"
    )
  )
})

const completions = GlobalFlag.Action({ flag: completionsFlag, run: GlobalFlag.Completions.run })

/** The modules of the commands, in the order of the help text. Loaded on demand, because their imports differ. */
const commandModules = {
  serve: async () => (await import("./serve.ts")).serve,
  load: async () => (await import("./load.ts")).load,
  keys: async () => (await import("./keys.ts")).keys,
  policies: async () => (await import("./policies.ts")).policies,
  recommendations: async () => (await import("./load.ts")).recommendations,
  credentials: async () => (await import("./deletions.ts")).credentials,
  events: async () => (await import("./deletions.ts")).events,
  intel: async () => (await import("./intel.ts")).intel,
  tenants: async () => (await import("./tenants.ts")).tenants,
  sample: async () => (await import("./sample.ts")).sample,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./backup.ts")).restore,
  migrate: async () => (await import("./migrate.ts")).migrate,
  upgrade: async () => (await import("./upgrade.ts")).upgrade,
  "rotate-key": async () => (await import("./rotateKey.ts")).rotateKey
}

/** Loads only the named command; all commands for help, completions and unknown names. */
const commandsIn = (args: ReadonlyArray<string>) => {
  const names = Record.keys(commandModules)
  const named = names.filter((name) => args.includes(name))
  const isVersion = args.length === 1 && ["--version", "-v"].includes(args.join())
  const needed = named.length > 0 || isVersion ? named : names
  return Effect.promise(() => Promise.all(needed.map((name) => commandModules[name]())))
}

const cliOutput = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter({
    present: (event) =>
      event._tag === "InvalidInvocation"
        ? printUsageErrors(event)
        : CliOutput.defaultPresenter.present(
            event._tag === "Help" ? { ...event, helpDoc: withoutChoices(event.helpDoc) } : event
          )
  })
)

export const runCommand = (args: ReadonlyArray<string>) =>
  Effect.flatMap(commandsIn(args), (commands) =>
    Command.runWith(
      Command.make("threat-exposure-service").pipe(
        Command.withDescription(
          "A threat-exposure monitoring service on an embedded database or on an OpenSearch cluster"
        ),
        Command.withSubcommands(commands),
        Command.provide(Layer.unwrap(Effect.map(logFormat, Log.layer))),
        Command.withGlobalFlags([logFormat, completions])
      ),
      { version: manifest.version }
    )(args)
  ).pipe(
    Effect.tapCause((cause) => {
      const failure = Cause.squash(cause)
      if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(failure)) return Effect.void
      const message = failure instanceof Error ? failure.message : String(failure)
      return asksForJson(args)
        ? Effect.provide(
            Effect.map(Log, (log) => log.write("error", message, {})),
            Log.layer("json")
          )
        : Console.error(`error: ${message}`)
    }),
    Effect.provide(cliOutput)
  )

/** Reads the arguments themselves: where a failure is printed, the value of the flag is out of scope. */
const asksForJson = (args: ReadonlyArray<string>): boolean => /(?:^| )--log[= ]json(?: |$)/u.test(args.join(" "))

/** Undefined for an interrupted command: an interruption is the normal end of `serve`. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number | undefined => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return undefined
  const failure = Cause.squash(exit.cause)
  if (!CliError.isCliError(failure)) return Predicate.hasProperty(failure, "exitCode") ? Number(failure.exitCode) : 1
  return failure._tag === "ShowHelp" && failure.errors.length === 0 ? 0 : wrongUse
}

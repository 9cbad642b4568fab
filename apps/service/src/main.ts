#!/usr/bin/env node
/** The command line. */
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import manifest from "../package.json" with { type: "json" }
import { credentials, events } from "./commands/deletions.ts"
import { backup } from "./commands/backup.ts"
import { keys } from "./commands/keys.ts"
import { load, recommendations } from "./commands/load.ts"
import { policies } from "./commands/policies.ts"
import { WrongFormat } from "./load/RecordFormat.ts"
import { restore } from "./commands/restore.ts"
import { rotateKey } from "./commands/rotateKey.ts"
import { sample } from "./commands/sample.ts"
import { serve } from "./commands/serve.ts"
import { tenants } from "./commands/tenants.ts"
import { Log } from "./observability/Log.ts"

const logFormat = GlobalFlag.Setting("log")({
  flag: Flag.Literals("log", ["text", "json"]).pipe(
    Flag.withDefault("text"),
    Flag.withDescription("Format of the log on standard error: text for a terminal, json for a collector")
  )
})

const service = Command.make("threat-exposure-service").pipe(
  Command.withDescription("A threat-exposure monitoring service on an embedded database"),
  Command.withSubcommands([
    serve,
    load,
    keys,
    policies,
    recommendations,
    credentials,
    events,
    tenants,
    sample,
    backup,
    restore,
    rotateKey
  ]),
  Command.provide(Layer.unwrap(Effect.map(logFormat, Log.layer))),
  Command.withGlobalFlags([logFormat])
)

/** The exit code for wrong use of a command. */
const misused = 2

/** A command line that cannot be parsed prints one error that names the fault, not the whole help text. */
const cliOutput = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layerPresenter({
    present: (event) => {
      if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
      const reasons = event.errors.map(({ message }) => `error: ${message}`)
      return Console.error([...new Set(reasons), `See ${event.commandPath.join(" ")} --help`].join("\n"))
    }
  })
)

NodeRuntime.runMain(
  Command.run(service, { version: manifest.version }).pipe(
    Effect.tapCause((cause) => {
      const failure = Cause.squash(cause)
      if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(failure)) return Effect.void
      return Console.error(`error: ${failure instanceof Error ? failure.message : String(failure)}`)
    }),
    Effect.provide([NodeServices.layer, cliOutput])
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      // Being stopped is the normal end of `serve`; a command for which it is a failure has set the exit code.
      if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? 0))
      const failure = Cause.squash(exit.cause)
      if (!CliError.isCliError(failure)) return onExit(failure instanceof WrongFormat ? failure.exitCode : 1)
      return onExit(failure._tag === "ShowHelp" && failure.errors.length === 0 ? 0 : misused)
    }
  }
)

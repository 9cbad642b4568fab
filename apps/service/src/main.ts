#!/usr/bin/env node
/** The command line: chooses port and database, runs; nothing else. */
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import manifest from "../package.json" with { type: "json" }
import { keys } from "./commands/keys.ts"
import { load, recommendations } from "./commands/load.ts"
import { policies } from "./commands/policies.ts"
import { presenting } from "./commands/presenting.ts"
import { serve } from "./commands/serve.ts"

const service = Command.make("threat-exposure-service").pipe(
  Command.withDescription("A threat-exposure monitoring service on an embedded database"),
  Command.withSubcommands([serve, load, keys, policies, recommendations])
)

/** Of a command that was not understood; what it printed says why. */
const misused = 2

NodeRuntime.runMain(
  Command.run(service, { version: manifest.version }).pipe(
    Effect.tapCause((cause) => {
      const failure = Cause.squash(cause)
      if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(failure)) return Effect.void
      return Console.error(`error: ${failure instanceof Error ? failure.message : String(failure)}`)
    }),
    // Standard output is what a command was asked for.
    Effect.provide([NodeServices.layer, presenting, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])])
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      // To be stopped is how a service ends; a command for which it is not has said so.
      if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? 0))
      const failure = Cause.squash(exit.cause)
      if (!CliError.isCliError(failure)) return onExit(1)
      return onExit(failure._tag === "ShowHelp" && failure.errors.length === 0 ? 0 : misused)
    }
  }
)

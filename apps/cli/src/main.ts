#!/usr/bin/env node
/** The command line. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { isApiError } from "@threat-exposure/core/client/ApiError"
import manifest from "../package.json" with { type: "json" }
import { feed } from "./commands/feed.ts"
import { hook } from "./commands/hook.ts"
import { ignore } from "./commands/ignore.ts"
import { login, logout } from "./commands/login.ts"
import { accounts } from "./commands/accounts.ts"
import { check } from "./commands/check.ts"
import { exportCommand } from "./commands/export.ts"
import { event, search } from "./commands/search.ts"
import { mcp } from "./commands/mcp.ts"
import { quota, whoami } from "./commands/whoami.ts"
import { connectionFlags } from "./connection/Connection.ts"
import { Keyring } from "./connection/Keyring.ts"
import { Profiles } from "./connection/Profiles.ts"
import { exitCodeOf } from "./ExitCode.ts"
import { outputFlags } from "./output/Output.ts"

const program = Command.make("threat-exposure").pipe(
  Command.withDescription("Find out which of your secrets, accounts and data have leaked"),
  Command.withSubcommands([
    check,
    ignore,
    hook,
    login,
    logout,
    whoami,
    quota,
    search,
    event,
    exportCommand,
    feed,
    accounts,
    mcp
  ]),
  Command.withGlobalFlags([...outputFlags, ...connectionFlags])
)

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

const machine = Layer.provideMerge(Layer.provideMerge(Profiles.layer, Keyring.layer), NodeServices.layer)

/** The message of a bug may contain what was read: only its kind and where it happened are told. */
const describe = (failure: unknown) => {
  if (isApiError(failure) || Predicate.hasProperty(failure, "exitCode"))
    return Predicate.hasProperty(failure, "message") ? String(failure.message) : ""
  const frames =
    failure instanceof Error ? (failure.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line)) : []
  const kind = failure instanceof Error ? failure.name : typeof failure
  return [`internal error (${kind}); please report it with these lines`, ...frames.slice(0, 5)].join("\n")
}

NodeRuntime.runMain(
  Command.run(program, { version: manifest.version }).pipe(
    Effect.tapCause((cause) => {
      const failure = Cause.squash(cause)
      if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(failure)) return Effect.void
      const message = describe(failure)
      // The report of a check has said it.
      return message === "" ? Effect.void : Console.error(`error: ${message}`)
    }),
    Effect.provide([machine, cliOutput])
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      onExit(Cause.hasInterruptsOnly(exit.cause) ? 130 : exitCodeOf(Cause.squash(exit.cause)))
    }
  }
)

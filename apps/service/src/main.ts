#!/usr/bin/env node
/** The command line. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { exitCodeOf, runCommand } from "./commands/CommandLine.ts"

NodeRuntime.runMain(
  Effect.flatMap(Stdio.Stdio, ({ args }) => args).pipe(Effect.flatMap(runCommand), Effect.provide(NodeServices.layer)),
  {
    disableErrorReporting: true,
    // A command for which being stopped is a failure has set the exit code.
    teardown: (exit, onExit) => onExit(exitCodeOf(exit) ?? Number(process.exitCode ?? 0))
  }
)

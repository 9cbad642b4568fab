#!/usr/bin/env node
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { stopWithNpx, stopWithTerminal, watchOutputs } from "@threat-exposure/command-line/Process"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { exitCodeOf, runCommand } from "./commands/CommandLine.ts"

const isOutputLost = watchOutputs()
stopWithTerminal()

NodeRuntime.runMain(
  Effect.andThen(
    stopWithNpx,
    Effect.flatMap(Stdio.Stdio, ({ args }) => args)
  ).pipe(Effect.flatMap(runCommand), Effect.provide(NodeServices.layer)),
  {
    disableErrorReporting: true,
    // A command for which being stopped is a failure has set the exit code.
    teardown: (exit, onExit) => {
      const code = exitCodeOf(exit) ?? Number(process.exitCode ?? 0)
      // The last write fails after this call.
      setImmediate(() => onExit(code === 0 && isOutputLost() ? 1 : code))
    }
  }
)

#!/usr/bin/env node
/** Runs the command line with Node's files, processes and outputs. */
import "./output/limitHeap.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { openOutput, stopWithNpx, stopWithTerminal, watchOutputs } from "@threat-exposure/command-line/Process"
import { commandLine } from "./commandLine.ts"
import { exitCodes } from "./ExitCode.ts"

const isOutputLost = watchOutputs()
stopWithTerminal()

let exitCode: number = exitCodes.incomplete

NodeRuntime.runMain(
  Effect.andThen(stopWithNpx, commandLine).pipe(
    Effect.andThen((code) => Effect.sync(() => (exitCode = code))),
    Effect.provide(Layer.provideMerge(openOutput, NodeServices.layer))
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(130)
      // Waits for the last write, which may fail after this call.
      setImmediate(() => onExit(isOutputLost() && exitCode === exitCodes.done ? exitCodes.incomplete : exitCode))
    }
  }
)

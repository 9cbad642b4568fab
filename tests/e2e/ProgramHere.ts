/** The environment and the outputs of a program that runs in this process, instead of the process's own. */
import { format } from "node:util"
import { layer as nodeServices } from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Sink, Stdio, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

export type OutputName = "stdout" | "stderr"

export interface GivenHere {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly write: (output: OutputName, text: string) => void
  readonly args?: ReadonlyArray<string>
  readonly input?: string | Uint8Array | Stream.Stream<Uint8Array>
}

/** The services of Node with these instead. */
export const programHere = ({ args = [], env, input = "", write }: GivenHere) => {
  const lineTo =
    (name: OutputName) =>
    (...words: ReadonlyArray<unknown>) =>
      write(name, `${format(...words)}\n`)
  const sinkOf = (name: OutputName) => () =>
    Sink.forEach((chunk: string | Uint8Array) =>
      Effect.sync(() => write(name, typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
    )
  return Layer.mergeAll(
    Layer.provide(spawnerWith(env), nodeServices),
    Stdio.layerTest({
      args: Effect.succeed(args),
      stdin: Stream.isStream(input) ? input : Stream.succeed(typeof input === "string" ? Buffer.from(input) : input),
      stdout: sinkOf("stdout"),
      stderr: sinkOf("stderr")
    }),
    Layer.succeed(Console.Console, { ...console, log: lineTo("stdout"), error: lineTo("stderr") }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  ).pipe(Layer.provideMerge(nodeServices))
}

/** Gives the programs that are started this environment instead of the one of this process. */
const spawnerWith = (env: Readonly<Record<string, string>>) =>
  Layer.effect(
    ChildProcessSpawner.ChildProcessSpawner,
    Effect.map(ChildProcessSpawner.ChildProcessSpawner, (spawner) =>
      ChildProcessSpawner.make((command) =>
        spawner.spawn(
          ChildProcess.isStandardCommand(command)
            ? ChildProcess.make(command.command, command.args, {
                ...command.options,
                env: { ...env, ...command.options.env },
                extendEnv: false
              })
            : command
        )
      )
    )
  )

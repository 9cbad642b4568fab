/** The command line with a home of its own: as an installed package starts it, or in this process. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandLine } from "@threat-exposure/cli/commandLine"
import { Effect, Layer } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { type GivenHere, programHere } from "../ProgramHere.ts"

/** Starts what `build.ts` builds. */
export const mainFile = fileURLToPath(new URL("../../../apps/cli/bin/threat-exposure.mjs", import.meta.url))

/** Shared, so that the program is compiled once and not by each test. */
const caches = fileURLToPath(new URL("../../../apps/cli/node_modules/.cache/", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Program {
  /** The working directory. */
  readonly folder: string
  /**
   * Runs in this process, from its sources: ten times as fast as a process, for tests of what the program says and writes.
   * What a process has beyond that (its signals and streams, its temporary files, its end) only `start` shows.
   */
  readonly run: (args: ReadonlyArray<string>, options?: Omit<RunOptions, "output" | "staysOpen">) => Promise<Ended>
  /** Starts a process. */
  readonly start: (args: ReadonlyArray<string>, options?: RunOptions) => Running
  /**
   * Starts a process at a terminal, whose input stays open. Resolves to what the terminal shows. `typed` is typed once it
   * shows `after`.
   */
  readonly atTerminal: (args: string, input?: { readonly after: string; readonly typed: string }) => Promise<string>
  readonly remove: () => Promise<void>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  /** Leaves standard input open after the input, as a process only. */
  readonly staysOpen?: boolean
  /** The file that standard output goes to, or `closed`. */
  readonly output?: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** `main` is another file to start in place of {@link mainFile}. */
export const makeProgram = async (
  env: Readonly<Record<string, string>> = {},
  main: string = mainFile
): Promise<Program> => {
  const folder = await mkdtemp(join(tmpdir(), "threat-exposure-cli-"))
  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: caches,
    THREAT_EXPOSURE_CALLED_FROM: folder,
    ...env,
    ...more
  })
  const start = (
    args: ReadonlyArray<string>,
    { env: more, input = "", output, staysOpen = false }: RunOptions = {}
  ): Running => {
    const isClosed = output === "closed"
    const file = output === undefined || isClosed ? undefined : openSync(output, "w")
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      stdio: ["pipe", file ?? (isClosed ? "ignore" : "pipe"), "pipe"],
      env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...environment(more) }
    })
    const outputs = { stdout: "", stderr: "" }
    if (file !== undefined) closeSync(file)
    child.stdout?.on("data", (chunk) => (outputs.stdout += chunk))
    child.stderr?.on("data", (chunk) => (outputs.stderr += chunk))
    child.stdin?.on("error", () => undefined)
    if (staysOpen) child.stdin?.write(input)
    else child.stdin?.end(input)
    return {
      child,
      ended: new Promise((resolve, reject) => {
        child.on("error", reject)
        child.on("close", (code) => resolve({ code, ...outputs }))
      })
    }
  }
  return {
    folder,
    start,
    run: async (args, { env: more, input = "" } = {}) => {
      const outputs = { stdout: "", stderr: "" }
      const code = await runHere(args, environment(more), input, (name, text) => (outputs[name] += text))
      return { code, ...outputs }
    },
    atTerminal: (args, input) =>
      new Promise((resolve, reject) => {
        const command = `${process.execPath} ${main} ${args}`
        const child = spawn("script", ["--quiet", "--command", command, "/dev/null"], {
          cwd: folder,
          env: environment()
        })
        let shown = ""
        let isTyped = input === undefined
        child.stdout.on("data", (chunk) => {
          shown += chunk
          if (isTyped || !shown.includes(input?.after ?? "")) return
          isTyped = true
          child.stdin.write(input?.typed ?? "")
        })
        child.on("error", reject)
        child.on("close", () => resolve(shown))
      }),
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

/** Gives the exit code, once the input has ended. */
export const runHere = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  input: NonNullable<GivenHere["input"]>,
  write: GivenHere["write"]
): Promise<number> =>
  Effect.runPromise(
    Effect.provide(
      commandLine,
      Layer.provideMerge(TerminalCapabilities.layer, programHere({ args, env, input, write }))
    )
  )

/** Runs the action as the runner of GitHub Actions does: environment, files, workflow commands. */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { action } from "@threat-exposure/action/action"
import { Effect } from "effect"
import { programHere } from "../ProgramHere.ts"

export const bundle = fileURLToPath(import.meta.resolve("@threat-exposure/action/dist"))

export interface Job {
  /** The checkout. */
  readonly workspace: string
  readonly event: string
  readonly payload: unknown
  readonly inputs: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** A folder that later runs of the job see again; one of its own otherwise. */
  readonly temporary?: string
}

interface BundleJob extends Job {
  /** Called with a function that cancels the run as the runner does. */
  readonly started?: (cancel: () => void) => void
}

export interface Command {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

export interface Run {
  readonly exitCode: number | null
  /** Standard output without the commands that tell the runner what to mask. */
  readonly log: string
  readonly masks: ReadonlyArray<string>
  readonly commands: ReadonlyArray<Command>
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** All output of the run: log, standard error, summary, outputs, files of the temporary folder. */
  readonly everything: string
}

const textsBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) => `${join(entry.parentPath, entry.name)}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`
    )
    .join("\n")

const unescaped = (text: string) =>
  text
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%25", "%")

const commandIn = (line: string): Command | undefined => {
  const [, name, properties = "", message = ""] = /^::([a-z-]+)(?: ([^:]*))?::(.*)$/u.exec(line) ?? []
  if (name === undefined) return undefined
  return {
    name,
    properties: Object.fromEntries(
      properties
        .split(",")
        .filter((pair) => pair !== "")
        .map((pair) => {
          const [key = "", ...value] = pair.split("=")
          return [key, unescaped(value.join("="))]
        })
    ),
    message: unescaped(message)
  }
}

const outputsIn = (text: string) =>
  Object.fromEntries(
    Array.from(text.matchAll(/^(.+?)<<(ghadelimiter_.+)\r?\n([\s\S]*?)\r?\n\2$/gmu), ([, name = "", , value = ""]) => [
      name,
      value
    ])
  )

/** The outcome of a step for a runner, once it has ended. */
interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the action in this process, from its sources: ten times as fast as its bundle, for tests of what it finds and
 * writes.
 */
export const run = (job: Job) => ranWith(job, here)

/** Runs the committed bundle as a process, as a runner does. */
export const runBundle = (job: BundleJob) =>
  ranWith(job, (env) =>
    Effect.callback<Ended>((resume) => {
      const child = spawn(process.execPath, [bundle], {
        env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env },
        cwd: job.workspace,
        stdio: ["ignore", "pipe", "pipe"]
      })
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (data) => (stdout += String(data)))
      child.stderr.on("data", (data) => (stderr += String(data)))
      child.on("close", (exitCode) => resume(Effect.succeed({ exitCode, stdout, stderr })))
      job.started?.(() => child.kill("SIGINT"))
    })
  )

const here = (env: Readonly<Record<string, string>>): Effect.Effect<Ended> =>
  Effect.suspend(() => {
    const outputs = { stdout: "", stderr: "" }
    return action.pipe(
      Effect.provide(programHere({ env, write: (name, text) => (outputs[name] += text) })),
      Effect.as(0),
      Effect.catchTag("StepFailed", () => Effect.succeed(1)),
      Effect.map((exitCode) => ({ exitCode, ...outputs }))
    )
  })

const ranWith = Effect.fnUntraced(function* (
  job: Job,
  ran: (env: Readonly<Record<string, string>>) => Effect.Effect<Ended>
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "action-run-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const temporary = job.temporary ?? join(folder, "temp")
  mkdirSync(temporary, { recursive: true })
  const file = (name: string, text = "") => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const [output, summary] = [file("output"), file("summary.md")]
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: job.workspace,
    GITHUB_REPOSITORY: "example/checkout",
    GITHUB_EVENT_NAME: job.event,
    GITHUB_EVENT_PATH: file("event.json", JSON.stringify(job.payload)),
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_API_URL: "http://127.0.0.1:9",
    GITHUB_WORKFLOW_REF: "example/checkout/.github/workflows/leaks.yml@refs/heads/main",
    GITHUB_RUN_ID: "1",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_JOB: "leaks",
    RUNNER_TEMP: temporary,
    ...job.env
  }
  for (const [name, value] of Object.entries(job.inputs)) env[`INPUT_${name.toUpperCase()}`] = value

  const { exitCode, stderr, stdout } = yield* ran(env)

  const all = stdout.split("\n").map((line) => ({ line, command: commandIn(line) }))
  const masks = all.flatMap(({ command }) => (command?.name === "add-mask" ? [command.message] : []))
  const log = all.flatMap(({ command, line }) => (command?.name === "add-mask" ? [] : [line])).join("\n")
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "")
  return {
    exitCode,
    log,
    masks,
    commands: all.flatMap(({ command }) => (command === undefined ? [] : [command])),
    outputs: outputsIn(read(output)),
    summary: read(summary),
    everything: [log, stderr, read(output), read(summary), textsBelow(temporary)].join("\n")
  } satisfies Run
})

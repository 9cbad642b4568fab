/** The service with its sample data, as a process of its own that can be ended and started again. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { end, freePort } from "./real-vscode.ts"

const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))

export interface SampleService {
  readonly address: string
  /** Of a key with every permission. */
  readonly token: string
  readonly database: string
  /** Ends the process and keeps the data. */
  readonly kill: () => Promise<void>
  /** On the same port, with the same data. */
  readonly restart: (env?: Readonly<Record<string, string>>) => Promise<void>
  readonly stop: () => Promise<void>
}

export const startSampleService = async (env: Readonly<Record<string, string>> = {}): Promise<SampleService> => {
  const folder = await mkdtemp(join(tmpdir(), "threat-exposure-service-"))
  const database = join(folder, "sample.sqlite")
  const port = await freePort()
  const serve = (more: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    started(["serve", "--port", String(port), "--database", database, ...more], env)
  const first = await serve(["--sample"], env)
  let child = first.child
  return {
    address: `http://127.0.0.1:${port}`,
    token: /^token: (\S+)$/mu.exec(first.output)?.[1] ?? "",
    database,
    kill: () => end(child),
    restart: async (again = env) => {
      await end(child)
      child = (await serve([], again)).child
    },
    stop: async () => {
      await end(child)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

const started = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly child: ChildProcess; readonly output: string }>((resolve, reject) => {
    const isSample = args.includes("--sample")
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    const hear = (chunk: unknown) => {
      output += String(chunk)
      if (/^listening on /mu.test(output) && (!isSample || /^token: \S+$/mu.test(output))) resolve({ child, output })
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("exit", (code) => reject(new Error(`The service ended with code ${code}:\n${output}`)))
  })

/** The service with its sample data, as a process of its own that can be ended and started again. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { end, freePort } from "./real-vscode.ts"

const run = promisify(execFile)
const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))

export interface SampleService {
  readonly address: string
  /** Of a key with every permission. */
  readonly token: string
  readonly database: string
  /** The uid of an event of this type in the sample data. */
  readonly uidOf: (type: string) => Promise<string>
  /** The token of another key, such as one without a permission. */
  readonly createKey: (permission: string) => Promise<string>
  readonly revokeKeys: () => Promise<void>
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
    uidOf: async (type) => {
      const answer = await fetch(`http://127.0.0.1:${port}/svc/v4/events/global/_search`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${/^token: (\S+)$/mu.exec(first.output)?.[1] ?? ""}`,
          "content-type": "application/json"
        },
        body: JSON.stringify({ query: { type: "query_string", query_string: `type:${type}` }, size: 10 })
      })
      const uid = /"uid":"([^"]+)"/u.exec(await answer.text())?.[1]
      if (uid === undefined) throw new Error(`The sample data has no event of type ${type}`)
      return uid
    },
    createKey: async (permission) => {
      const output = await cli("keys", "create", "--database", database, "--tenant", "1", "--permission", permission)
      return output.trim().split("\n").at(-1) ?? ""
    },
    revokeKeys: async () => {
      const listed = await cli("keys", "list", "--database", database)
      for (const [id = ""] of listed.matchAll(/^\d+/gmu)) {
        await cli("keys", "revoke", "--database", database, id)
      }
    },
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

const cli = async (...args: ReadonlyArray<string>) => (await run(process.execPath, [main, ...args])).stdout

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

/** The service with its sample data, as a process of its own that can be ended and started again. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { freePort } from "@threat-exposure/programs/FreePort"
import { end } from "./real-vscode.ts"

const run = promisify(execFile)
const sources = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))

export interface SampleService {
  readonly address: string
  /** The token of a key with every permission. */
  readonly token: string
  readonly database: string
  /** The uid of an event of this type in the sample data. */
  readonly uidOf: (type: string) => Promise<string>
  /** The token of another key, such as one without a permission. */
  readonly createKey: (permission: string, tenant?: number) => Promise<string>
  readonly revokeKeys: () => Promise<void>
  /** Loads events in the wire's own shape, while it serves. */
  readonly loadEvents: (events: ReadonlyArray<unknown>) => Promise<void>
  /** The requests it has answered since its first start, as "events.search 200 3.71 ms". */
  readonly requests: () => Promise<ReadonlyArray<string>>
  /** Kills the process at once, and keeps the data. */
  readonly kill: () => Promise<void>
  /** Restarts the service on the same port, with the same data. */
  readonly restart: (env?: Readonly<Record<string, string>>) => Promise<void>
  readonly stop: () => Promise<void>
}

/** `main` is the program: its sources, or what a build made of them, which starts sooner. */
export const startSampleService = async (
  env: Readonly<Record<string, string>> = {},
  main = sources
): Promise<SampleService> => {
  const cli = async (...args: ReadonlyArray<string>) => (await run(process.execPath, [main, ...args])).stdout
  const folder = await mkdtemp(join(tmpdir(), "threat-exposure-service-"))
  const database = join(folder, "sample.sqlite")
  const port = await freePort()
  const output: Array<string> = []
  const serve = (more: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    startProcess([main, "serve", "--port", String(port), "--database", database, ...more], env, output)
  let child = await serve(["--sample"], env)
  const address = `http://127.0.0.1:${port}`
  const token = /^token: (\S+)$/mu.exec(output.join(""))?.[1] ?? ""
  return {
    address,
    token,
    database,
    uidOf: async (type) => {
      const answer = await fetch(`${address}/svc/v4/events/global/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ query: { type: "query_string", query_string: `type:${type}` }, size: 10 })
      })
      const uid = /"uid":"([^"]+)"/u.exec(await answer.text())?.[1]
      if (uid === undefined) throw new Error(`The sample data has no event of type ${type}`)
      return uid
    },
    createKey: async (permission, tenant = 1) => {
      const output = await cli(
        "keys",
        "create",
        "--database",
        database,
        "--tenant",
        `${tenant}`,
        "--permission",
        permission
      )
      return output.trim().split("\n").at(-1) ?? ""
    },
    revokeKeys: async () => {
      const listed = await cli("keys", "list", "--database", database)
      for (const [id = ""] of listed.matchAll(/^\d+/gmu)) {
        await cli("keys", "revoke", "--database", database, id)
      }
    },
    loadEvents: async (events) => {
      const file = join(folder, "events.ndjson")
      await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""))
      await cli("load", "events", "--database", database, "--strict", file)
    },
    requests: async () => {
      // The log is written a few times a second, in order: once it has the line of this request, it has all before it.
      const mark = `mark-${performance.now()}`
      await fetch(`${address}/healthz`, { headers: { "x-request-id": mark } })
      while (!output.join("").includes(`request_id=${mark} `)) await sleep(20)
      return [
        ...output.join("").matchAll(/ request_id=(?!mark-)\S+ .*operation=(\S+) status=(\S+) duration_ms=(\S+)/gu)
      ].map(([, operation, status, milliseconds]) => `${operation} ${status} ${milliseconds} ms`)
    },
    kill: () => end(child, true),
    restart: async (again = env) => {
      await end(child)
      child = await serve([], again)
    },
    stop: async () => {
      await end(child)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/** Resolves once the service accepts requests; `output` keeps growing afterwards. */
const startProcess = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  output: Array<string>
): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const isSample = args.includes("--sample")
    const before = output.length
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const hear = (chunk: unknown) => {
      output.push(String(chunk))
      const mine = output.slice(before).join("")
      if (/^listening on /mu.test(mine) && (!isSample || /^token: \S+$/mu.test(mine))) resolve(child)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("exit", (code) => reject(new Error(`The service ended with code ${code}:\n${output.join("")}`)))
  })

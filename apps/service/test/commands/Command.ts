/** Runs commands in this process or in a separate one, as a person or a supervisor does. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeServices } from "@effect/platform-node"
import { localServer, pipeThrough } from "@threat-exposure/programs/LocalServer"
import { exitCodeOf, runCommand } from "@threat-exposure/service/commands/CommandLine"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"

/** The program that `tests/build.ts` builds: it starts in less than half of the time of the sources. */
export const main = fileURLToPath(new URL("../../bin/threat-exposure-service.mjs", import.meta.url))
/** Milliseconds. Only ends tests that hang: see vitest.config.ts. */
export const timeout = 30 * 60_000

/** Overwrites the root pages of tables, so that every use of them fails. No program may have the database open. */
export const damage = (database: string, tables: ReadonlyArray<string>): void => {
  const connection = new Connection(database)
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const [[pageSize] = []] = connection.tuples("PRAGMA page_size")
  const roots = tables.flatMap((table) => connection.tuples("SELECT rootpage FROM sqlite_schema WHERE name = ?", table))
  connection[Symbol.dispose]()
  const file = openSync(database, "r+")
  for (const [root] of roots) {
    writeSync(file, Buffer.alloc(Number(pageSize), 0xff), 0, Number(pageSize), (Number(root) - 1) * Number(pageSize))
  }
  closeSync(file)
}

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Spawns a command called from `folder`, as `npm run service` does: the program itself runs in another folder. */
export const spawned = (folder: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [main, ...args], {
    cwd: tmpdir(),
    env: {
      ...process.env,
      THREAT_EXPOSURE_CALLED_FROM: folder,
      NO_COLOR: "1",
      // On a busy machine, the first search of a service waits for its threads to start.
      THREAT_EXPOSURE_SEARCH_TIME_LIMIT: "600",
      ...env
    }
  })

export const output = (child: ChildProcess) => {
  const text = { out: "", err: "" }
  child.stdout?.on("data", (data) => (text.out += data))
  child.stderr?.on("data", (data) => (text.err += data))
  return text
}

export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    child.once("close", (code) => resolve(code))
  })

export const run = (folder: string, ...args: ReadonlyArray<string>) => runWith({}, folder, ...args)

/** Runs a command in a separate process, whose standard error also contains the progress of a load. */
export const runProcess = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = spawned(folder, args)
    child.stdin.end()
    const text = output(child)
    return { code: await ended(child), ...text }
  })

/** Runs a command in this process. */
export const runWith = (env: Readonly<Record<string, string>>, folder: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const code = exitCodeOf(yield* Effect.exit(runCommand(args)))
    return { code, out: textOf(yield* TestConsole.logLines), err: textOf(yield* TestConsole.errorLines) }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        // Each command has its own console, even if another command runs at the same time.
        Layer.fresh(TestConsole.layer),
        ConfigProvider.layer(ConfigProvider.fromEnv({ env: { THREAT_EXPOSURE_CALLED_FROM: folder, ...env } }))
      )
    )
  )

const textOf = (lines: ReadonlyArray<unknown>) => lines.map((line) => `${String(line)}\n`).join("")

export const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

export const serving = Effect.fnUntraced(function* (folder: string, ...args: ReadonlyArray<string>) {
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawned(folder, ["serve", "--port", "0", ...args])
      const text = output(child)
      // With `--sample`, the token is printed after the address.
      const isReady = args.includes("--sample") ? /^token: .*\n/mu : /\n/u
      await until(() => isReady.test(text.out) || child.exitCode !== null)
      const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(text.out)?.[1] ?? `nowhere: ${text.err}`
      return { child, text, url }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
})

/** The response header that names the server which answered, if the request came through a {@link proxy}. */
export const servedBy = "x-served-by"

/**
 * A proxy that forwards each request to the server that `choose` returns. Without one, the request is never answered.
 */
export const proxy = (choose: (method: string, path: string) => string | undefined) =>
  localServer((request, response) => {
    const { method = "GET", url = "/" } = request
    const chosen = choose(method, url)
    if (chosen !== undefined) pipeThrough(request, response, chosen, { [servedBy]: chosen })
  })

/** Runs a command on a cluster, and kills it at the first call for which `isLast` returns true. */
export const killedAt = Effect.fnUntraced(function* (
  cluster: string,
  isLast: (method: string, path: string) => boolean,
  folder: string,
  args: (cluster: string) => ReadonlyArray<string>
) {
  const url = yield* proxy((method, path) => {
    if (!isLast(method, path)) return cluster
    child.kill("SIGKILL")
    return undefined
  })
  const child = spawned(folder, args(url))
  output(child)
  yield* Effect.promise(() => ended(child))
})

export const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? ""

/** Creates a key of the tenant, and returns its token. `place` contains the flags that name the store. */
export const createKey = (folder: string, tenant: string, permission: string, ...place: ReadonlyArray<string>) =>
  Effect.map(run(folder, "keys", "create", "--tenant", tenant, "--permission", permission, ...place), ({ out }) =>
    lastLine(out)
  )

export const call = (url: string, token: string, method: string, path: string, body?: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() }
  })

export const search = (url: string, token: string, query: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc/v4/credentials/global/_search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query })
    })
    const body: { readonly items: ReadonlyArray<{ readonly id: number }> } = JSON.parse(await response.text())
    return { status: response.status, body }
  })

/** A credential as a line of a file. */
export const line = (id: number, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ id, identity_name: `a${id}@example.com`, imported_at: "2026-01-01T00:00:00Z", hash: `p${id}`, ...more })}\n`

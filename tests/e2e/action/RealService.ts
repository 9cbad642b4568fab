/** The service itself on a database of its own, behind a door that counts requests and can misbehave on order. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

const main = fileURLToPath(import.meta.resolve("@threat-exposure/service/main"))

/** Runs a command of the service to its end and gives what it printed. */
const command = (args: ReadonlyArray<string>, input: string) =>
  Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ["pipe", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (data) => (stdout += String(data)))
    child.stderr.on("data", (data) => (stderr += String(data)))
    child.on("close", (code) =>
      resume(code === 0 ? Effect.succeed(stdout) : Effect.die(new Error(`${args.join(" ")}: ${stdout}${stderr}`)))
    )
    child.stdin.end(input)
  })

/** What the door does with a request instead of letting it through; nothing where it gives undefined. */
export type Fault = (request: {
  readonly path: string
  /** How many searches came before this one. */
  readonly index: number
  readonly body: string
}) => { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | undefined

export interface RealService {
  readonly baseUrl: string
  /** Of a key that may read. */
  readonly token: string
  /** Of a key that may not. */
  readonly powerless: string
  /** The bodies of the searches that arrived, in their order. */
  readonly searches: Array<string>
  misbehave(fault: Fault | undefined): void
}

export interface Leaked {
  /** Each a credential (docs/api.md#credential). */
  readonly credentials: ReadonlyArray<unknown>
  /** Each a typed event (docs/api.md#typed-events). */
  readonly events: ReadonlyArray<unknown>
}

const lines = (records: ReadonlyArray<unknown>) => records.map((record) => `${JSON.stringify(record)}\n`).join("")

const started = (database: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
      const child = spawn(process.execPath, [main, "serve", "--port", "0", "--database", database], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      let printed = ""
      child.stdout.on("data", (data) => {
        printed += String(data)
        const url = /listening on (http:\S+)/u.exec(printed)?.[1]
        if (url !== undefined) resume(Effect.succeed({ url, stop: () => child.kill() }))
      })
      child.on("exit", (code) => resume(Effect.die(new Error(`The service ended with ${code}: ${printed}`))))
    }),
    ({ stop }) => Effect.sync(stop)
  )

const bodyOf = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** Stopped, and its database removed, with the scope. */
export const realService = Effect.fnUntraced(function* ({ credentials, events }: Leaked) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "action-service-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const database = join(folder, "service.sqlite")
  const at = ["--database", database]
  yield* command(["load", "credentials", ...at, "--strict", "-"], lines(credentials))
  yield* command(["load", "events", ...at, "--strict", "-"], lines(events))
  const keyWith = (permission: string) =>
    Effect.map(
      command(["keys", "create", ...at, "--tenant", "1", "--permission", permission], ""),
      (printed) => printed.trim().split("\n").at(-1) ?? ""
    )
  const token = yield* keyWith("read-tenant")
  const powerless = yield* keyWith("write-tenant")
  const { url } = yield* started(database)

  const searches: Array<string> = []
  let fault: Fault | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    const { pathname, search } = new URL(request.url ?? "", url)
    const path = `${pathname}${search}`
    const wrong = fault?.({ path, index: searches.length, body })
    if (path.endsWith("/_search")) searches.push(body)
    if (wrong !== undefined) {
      response.writeHead(wrong.status, wrong.headers).end(wrong.body)
      return
    }
    const { authorization = "", "content-type": type = "application/json" } = request.headers
    const passed = await fetch(`${url}${path}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body === "" ? {} : { body })
    })
    const remaining = passed.headers.get("x-global-searches-remaining")
    response
      .writeHead(passed.status, {
        "content-type": passed.headers.get("content-type") ?? "application/json",
        ...(remaining === null ? {} : { "x-global-searches-remaining": remaining })
      })
      .end(await passed.text())
  }
  const baseUrl = yield* Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        answer(request, response).catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

  return {
    baseUrl: baseUrl.url,
    token,
    powerless,
    searches,
    misbehave: (wanted) => {
      fault = wanted
    }
  } satisfies RealService
})

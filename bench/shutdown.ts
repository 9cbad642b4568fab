/** SIGTERM while 1,000 answers are on their way to clients that read slowly: how many of them are cut. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqliteStore, startService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { printTable } from "./Table.ts"

const clients = 1_000
const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const databaseFile = join(folder, "bench.sqlite")
const started: Array<ChildProcess> = []

const prepare = async (): Promise<string> => {
  const service = await startService({ store: Effect.succeed(sqliteStore(databaseFile)) })
  const urls = ["https://example.org/".padEnd(800, "a")]
  const records = Array.from({ length: 1_500 }, (_, id) => ({
    id: id + 1,
    identity_name: `a${id}@example.com`,
    imported_at: "2026-01-01T00:00:00Z",
    urls
  }))
  await service.load("credentials", records)
  await service.stop()
  return service.token
}

const serve = async (): Promise<{ readonly child: ChildProcess; readonly port: number }> => {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--database", databaseFile], {
    stdio: ["ignore", "pipe", "ignore"]
  })
  started.push(child)
  for await (const text of child.stdout) {
    const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/u.exec(String(text))
    if (found !== null) return { child, port: Number(found[1]) }
  }
  throw new Error("The service did not start")
}

/** Resolves once the answer has begun, and leaves it in the socket. */
const begin = (port: number, request: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request))
    socket.once("error", reject)
    socket.once("readable", () => resolve(socket))
  })

/** How much of the answer came, head included, and whether that was all of it: by its length, or by its last chunk. */
const readSlowly = async (socket: Socket): Promise<{ readonly came: number; readonly isWhole: boolean }> => {
  let whole = Number.NaN
  let end = ""
  let came = 0
  let isWhole = false
  try {
    for await (const data of socket) {
      came += data.length
      const text = data.toString("latin1")
      end = (end + text).slice(-endOfChunks.length)
      if (Number.isNaN(whole)) {
        const head = text.split("\r\n\r\n")[0]
        whole = head.length + 4 + Number(/content-length: (\d+)/iu.exec(head)?.[1] ?? Infinity)
      }
      isWhole = came === whole || (whole === Infinity && end === endOfChunks)
      if (isWhole) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  } catch {
    // A reset: what came until then counts.
  }
  socket.destroy()
  return { came, isWhole }
}

const endOfChunks = "}\r\n0\r\n\r\n"

try {
  const token = await prepare()
  const { child, port } = await serve()
  // The larger page is sent in segments.
  const requests = [1_000, 1_500].map((size) => {
    const body = JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size, include: ["urls"] })
    return `POST /svc/v4/credentials/global/_search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })
  const sockets = await Promise.all(
    Array.from({ length: clients }, (_, client) => begin(port, requests[client % requests.length] ?? ""))
  )
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await new Promise((resolve) => setTimeout(resolve, 500))
  const answers = await Promise.all(sockets.map(readSlowly))
  const cut = answers.filter(({ isWhole }) => !isWhole).length
  const [code] = await ended
  const [small = 0, large = 0] = answers.map(({ came }) => (came / 1e6).toFixed(1))
  printTable("Shutdown", [
    {
      what: `answers of ${small} and ${large} MB cut by SIGTERM, ${clients.toLocaleString("en-GB")} in flight, slow readers`,
      ours: `${cut} (exit code ${code})`,
      peer: "none",
      ratio: "",
      target: "0",
      reached: cut === 0 && code === 0
    }
  ])
} finally {
  for (const child of started) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
}

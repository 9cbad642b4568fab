/** SIGTERM while 1,000 answers are on their way to clients that read slowly: how many of them are cut. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@threat-exposure/service/sqlite/Sqlite"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { startService } from "@threat-exposure/service/testing/TestService"
import { Effect, Layer } from "effect"
import { AnswerProgress } from "./AnswerProgress.ts"
import { printTable } from "./Table.ts"

const clients = 1_000
const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const databaseFile = join(folder, "bench.sqlite")
const started: Array<ChildProcess> = []

const prepare = async (): Promise<string> => {
  // Threads from the sources, as in the process that is measured.
  const layer = Layer.orDie(sqlite(databaseFiles(databaseFile)))
  const service = await startService({ store: Effect.succeed({ layer, flags: [] }) })
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

const readSlowly = async (socket: Socket): Promise<AnswerProgress> => {
  const answer = new AnswerProgress()
  try {
    for await (const data of socket) {
      answer.take(data)
      if (answer.isWhole) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  } catch {
    // A reset: what came until then counts.
  }
  socket.destroy()
  return answer
}

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
  const [small = 0, large = 0] = answers.map(({ received }) => (received / 1e6).toFixed(1))
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

/**
 * A real service process that is stopped by a signal while clients read slowly or are about to send another request.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { DrainingServer } from "@threat-exposure/service/DrainingServer"
import { sqliteStore, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { main } from "./commands/Command.ts"

const folder = mkdtempSync(join(tmpdir(), "threat-exposure-"))
const databaseFile = join(folder, "test.sqlite")
const started: Array<ChildProcess> = []
let token = ""

beforeAll(async () => {
  const service = await startService({ store: Effect.succeed(sqliteStore(databaseFile)) })
  token = service.token
  const urls = ["https://example.org/".padEnd(400, "a")]
  await service.load(
    "credentials",
    Array.from({ length: 10_000 }, (_, id) => ({
      id: id + 1,
      identity_name: `a${id}@example.com`,
      imported_at: "2026-01-01T00:00:00Z",
      urls
    }))
  )
  await service.stop()
})

afterAll(() => {
  for (const child of started) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

interface Serving {
  readonly child: ChildProcess
  readonly port: number
  readonly ended: Promise<number | null>
}

const serve = async (): Promise<Serving> => {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--database", databaseFile], {
    stdio: ["ignore", "pipe", "ignore"],
    // On a busy machine, twelve large pages at once exceed the default time limit of searches.
    env: { ...process.env, THREAT_EXPOSURE_SEARCH_TIME_LIMIT: "600" }
  })
  started.push(child)
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve)
  })
  for await (const text of child.stdout) {
    const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(String(text))
    if (found !== null) return { child, port: Number(found[1]), ended }
  }
  throw new Error("The service did not start")
}

/** The request for a page of five megabytes. */
const largePage = (): string => {
  const body = JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size: 10_000, include: ["urls"] })
  return `POST /svc/v4/credentials/global/_search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends a request, and leaves the rest of the answer in the socket once it has begun. */
const beginAnswer = (port: number, text: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.once("error", reject)
    socket.once("readable", () => resolve(socket))
  })

/** The end of a complete answer: of the JSON, and the last chunk of the body. */
const endOfAnswer = "}\r\n0\r\n\r\n"

/** Reads a piece every few milliseconds. Returns the number of bytes, and whether the answer was complete. */
const readSlowly = async (socket: Socket): Promise<{ readonly came: number; readonly isWhole: boolean }> => {
  let end = ""
  let came = 0
  for await (const data of socket) {
    came += data.length
    end = (end + data.toString("latin1")).slice(-endOfAnswer.length)
    if (end === endOfAnswer) {
      socket.destroy()
      return { came, isWhole: true }
    }
    await wait(2)
  }
  return { came, isWhole: false }
}

describe("DrainingServer", () => {
  it("completes every answer to slow readers after SIGTERM", async () => {
    const { child, ended, port } = await serve()
    const readers = await Promise.all(Array.from({ length: 12 }, () => beginAnswer(port, largePage())))
    child.kill("SIGTERM")
    await wait(500)
    const read = await Promise.all(readers.map(readSlowly))
    for (const { came, isWhole } of read) {
      assert.isTrue(isWhole)
      assert.isAbove(came, 4_000_000)
    }
    assert.strictEqual(await ended, 0)
  })

  it("completes an answer after SIGHUP, the end of its terminal", async () => {
    const { child, ended, port } = await serve()
    const reader = await beginAnswer(port, largePage())
    child.kill("SIGHUP")
    await wait(500)
    const { came, isWhole } = await readSlowly(reader)
    assert.isTrue(isWhole)
    assert.isAbove(came, 4_000_000)
    assert.strictEqual(await ended, 0)
  })

  it("completes both answers if a client has sent two requests at once", async () => {
    const { child, ended, port } = await serve()
    const text = largePage()
    const socket = await beginAnswer(port, text + text)
    child.kill("SIGTERM")
    await wait(500)
    let came = ""
    for await (const data of socket) came += data.toString("latin1")
    const answers = came.split("HTTP/1.1 200 OK").slice(1)
    assert.lengthOf(answers, 2)
    for (const answer of answers) assert.isTrue(answer.endsWith(endOfAnswer))
    assert.strictEqual(await ended, 0)
  })

  it("answers the next request of a kept connection after SIGTERM, and says that it closes it", async () => {
    const { child, ended, port } = await serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const health = () =>
      new Promise<string | undefined>((resolve, reject) => {
        request({ agent, port, host: "127.0.0.1", path: "/healthz" }, (response) => {
          response.resume()
          response.on("end", () => resolve(response.headers.connection))
        })
          .on("error", reject)
          .end()
      })
    assert.strictEqual(await health(), "keep-alive")
    child.kill("SIGTERM")
    // New connections are refused once the signal has arrived.
    const isRefused = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.destroy()
          resolve(false)
        })
        socket.once("error", () => resolve(true))
      })
    while (!(await isRefused())) await wait(5)
    assert.strictEqual(await health(), "close")
    assert.strictEqual(await ended, 0)
  })
})

describe("isIdle", () => {
  it("is false from the headers of a request until its answer is sent, on any connection", async () => {
    let answer = () => {}
    const begun = Promise.withResolvers<void>()
    const server = new DrainingServer({}, (_, response) => {
      answer = () => response.end("answer")
      begun.resolve()
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const address = server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    assert.isTrue(server.isIdle)
    const idle = connect(port, "127.0.0.1")
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nunfinished".slice(0, -3))
    )
    await begun.promise
    assert.isFalse(server.isIdle)
    answer()
    await once(socket, "data")
    while (!server.isIdle) await wait(5)
    idle.destroy()
    socket.destroy()
    server.close()
  })
})

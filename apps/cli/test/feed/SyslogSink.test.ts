import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { frameOf, maxMessageBytes, syslogSink } from "@threat-exposure/cli/feed/SyslogSink"
import { Effect } from "effect"
import { summaryWith } from "./FeedDoubles.ts"

const time = Date.parse("2026-11-20T08:00:00.250Z")

/** Parses frames by RFC 6587, and their messages by RFC 5424. */
const messagesIn = (bytes: Buffer) => {
  const messages: Array<{
    readonly priority: number
    readonly time: string
    readonly uid: string
    readonly text: string
  }> = []
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const length = Number(bytes.subarray(at, space).toString())
    const message = bytes.subarray(space + 1, space + 1 + length).toString()
    at = space + 1 + length
    const [, priority, stamp, host, app, process, id, uid, text] =
      /^<(\d+)>1 (\S+) (\S+) (\S+) (\S+) (\S+) \[leak@32473 uid="([^"\\\]]*)"\] ([^\n]*)$/u.exec(message) ?? []
    assert.isDefined(text, message.slice(0, 200))
    assert.deepStrictEqual([app, process, id], ["threat-exposure", "-", "item"])
    assert.match(host ?? "", /^[!-~]{1,128}$/u)
    messages.push({ priority: Number(priority), time: stamp ?? "", uid: uid ?? "", text: text ?? "" })
  }
  return messages
}

const itemOf = (uid: string, more: object = {}) => ({ uid, line: JSON.stringify({ uid, ...more }), time })

/** A receiver that records all bytes. */
const receiver = Effect.gen(function* () {
  const received: Array<Buffer> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("data", (bytes) => received.push(bytes))
    socket.on("error", () => undefined)
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    }),
    () => Effect.sync(() => (server.close(), sockets.forEach((socket) => socket.destroy())))
  )
  return { port, server, sockets, bytes: () => Buffer.concat(received) }
})

describe("a syslog message", () => {
  it("is counted in bytes and has one element of structured data and one line", () => {
    const item = { ...itemOf("paste/é/1", { event: { data: "a\nb\u2028c 🔑" } }), summary: summaryWith("critical") }
    assert.deepStrictEqual(messagesIn(Buffer.concat([frameOf(item), frameOf(item)])), [
      { priority: 106, time: "2026-11-20T08:00:00.250Z", uid: "paste/é/1", text: item.line },
      { priority: 106, time: "2026-11-20T08:00:00.250Z", uid: "paste/é/1", text: item.line }
    ])
  })

  it("has no character that receivers escape in different ways", () => {
    const [message] = messagesIn(frameOf(itemOf('a"b\\c]d\ne')))
    assert.strictEqual(message?.uid, "a_b_c_d_e")
  })

  it("refers to an item that is longer than receivers take", () => {
    const item = itemOf("paste/x/1", { event: { data: "é".repeat(5_000) } })
    const [message] = messagesIn(frameOf(item))
    assert.deepStrictEqual(JSON.parse(message?.text ?? ""), {
      uid: "paste/x/1",
      truncated: true,
      bytes: Buffer.byteLength(item.line)
    })
    assert.isAtMost(frameOf(itemOf("u".repeat(20_000))).length, maxMessageBytes)
  })
})

describe("a syslog receiver as a sink", () => {
  it.live("gets the items of every batch, in order, over one connection", () =>
    Effect.gen(function* () {
      const { bytes, port, sockets } = yield* receiver
      yield* Effect.scoped(
        Effect.gen(function* () {
          const sink = yield* syslogSink("syslog", { host: "127.0.0.1", port, isTls: false })
          for (const id of ["1", "2"]) {
            yield* sink.send({ id, isRepeat: false, items: [itemOf(`${id}/a`), itemOf(`${id}/b`)] })
          }
        })
      )
      while (messagesIn(bytes()).length < 4) yield* Effect.sleep("10 millis")
      assert.deepStrictEqual(
        messagesIn(bytes()).map(({ uid }) => uid),
        ["1/a", "1/b", "2/a", "2/b"]
      )
      assert.strictEqual(sockets.size, 1)
    }).pipe(Effect.scoped)
  )

  it.live("waits while the receiver closes each connection after the first messages, as at a port for TLS", () =>
    Effect.gen(function* () {
      const { port, server } = yield* receiver
      const refuse = (socket: Socket) => void socket.once("data", () => socket.end("alert"))
      server.on("connection", refuse)
      const sink = yield* syslogSink("syslog", { host: "127.0.0.1", port, isTls: false })
      const send = sink.send({ id: "1", isRepeat: false, items: [itemOf("a")] })
      const failure = yield* Effect.flip(send)
      assert.include(failure.message, "closed the connection after the first messages")
      server.off("connection", refuse)
      assert.deepStrictEqual((yield* send).deferred, [])
    }).pipe(Effect.scoped)
  )

  it.live("waits while nobody listens, and connects again", () =>
    Effect.gen(function* () {
      const { bytes, port, sockets } = yield* receiver
      const sink = yield* syslogSink("syslog", { host: "127.0.0.1", port, isTls: false })
      yield* sink.send({ id: "1", isRepeat: false, items: [itemOf("a")] })
      while (sockets.size === 0) yield* Effect.sleep("10 millis")
      for (const socket of sockets) socket.destroy()
      // The sink may notice the broken connection only with the next batch.
      const again = yield* Effect.retry(sink.send({ id: "2", isRepeat: true, items: [itemOf("b")] }), { times: 5 })
      assert.deepStrictEqual(again.deferred, [])
      while (!bytes().includes('uid="b"')) {
        yield* Effect.ignore(sink.send({ id: "2", isRepeat: true, items: [itemOf("b")] }))
        yield* Effect.sleep("10 millis")
      }
      const gone = yield* syslogSink("syslog", { host: "127.0.0.1", port: 1, isTls: false })
      const failure = yield* Effect.flip(gone.send({ id: "1", isRepeat: false, items: [itemOf("a")] }))
      assert.strictEqual(failure._tag, "SinkBusy")
      assert.include(failure.message, "no connection (ECONNREFUSED)")
    }).pipe(Effect.scoped)
  )
})

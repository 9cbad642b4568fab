import { Agent, get, type IncomingMessage } from "node:http"
import { pipeline, Readable } from "node:stream"
import { once } from "node:events"
import { buffer } from "node:stream/consumers"
import { startServer } from "@threat-exposure/programs/LocalServer"
import { segmentSink } from "@threat-exposure/service/NodeRequests"
import { afterAll, assert, describe, it } from "vitest"

describe("the segments of an answer", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  afterAll(() => agent.destroy())

  const ask = async (url: string): Promise<IncomingMessage> => {
    const [response] = await once(get(url, { agent }), "response")
    return response
  }

  it("are freed once they are sent, unless they share their memory, and the connection is kept", async () => {
    const shared = Buffer.from("shared ").subarray(0, 6)
    const sent: Array<Uint8Array> = []
    const sockets = new Set<unknown>()
    const server = await startServer(({ socket }, response) => {
      sockets.add(socket)
      const own = new Uint8Array(1_000_000).fill(0x61)
      sent.push(own)
      pipeline(Readable.from([shared, own, shared]), segmentSink(response), () => undefined)
    })
    for (let request = 0; request < 2; request += 1) {
      const answer = await buffer(await ask(server.url))
      assert.strictEqual(answer.toString(), `shared${"a".repeat(1_000_000)}shared`)
    }
    assert.deepStrictEqual(
      sent.map(({ buffer }) => buffer.byteLength),
      [0, 0]
    )
    assert.strictEqual(sockets.size, 1)
    await server.close()
  })

  it("are dropped, with the connection, if the client does not read them", async () => {
    const ended = Promise.withResolvers<unknown>()
    const server = await startServer((_request, response) => {
      const segments = Array.from({ length: 100 }, () => new Uint8Array(1_000_000))
      pipeline(Readable.from(segments), segmentSink(response, 50), ended.resolve)
    })
    const stalled = await ask(server.url)
    assert.instanceOf(await ended.promise, Error)
    stalled.destroy()
    await server.close()
  })

  it("are read no further once the client has gone", async () => {
    let read = 0
    const ended = Promise.withResolvers<unknown>()
    const endless = function* () {
      for (;;) {
        read += 1
        yield new Uint8Array(1_000_000)
      }
    }
    const server = await startServer((_request, response) => {
      pipeline(Readable.from(endless()), segmentSink(response), ended.resolve)
    })
    const response = await ask(server.url)
    response.destroy()
    assert.instanceOf(await ended.promise, Error)
    const before = read
    await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(read, before)
    await server.close()
  })
})

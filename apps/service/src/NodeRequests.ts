import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { pipeline, Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { makeHttp } from "./Http.ts"
import { requestIdHeader, RequestLog } from "./observability/RequestLog.ts"
import { RequestBody } from "./requests/RequestBody.ts"
import type { Answer, RequestRecord } from "./requests/ServedRequest.ts"
import { Settings } from "./Settings.ts"

/**
 * The listener of the server. An answer that is available at once needs no fiber. A request is interrupted when its
 * client disconnects, and when the scope closes.
 */
export const requestListener = Effect.gen(function* () {
  const log = yield* RequestLog
  const answer = yield* makeHttp
  const { maximumBody } = yield* Settings
  // Nothing collects spans, and a span with its two random ids costs more than a look-up.
  const run = yield* Effect.provideService(FiberSet.makeRuntime(), References.TracerEnabled, false)
  const inTurn = turns()

  return (request: IncomingMessage, response: ServerResponse): void => {
    const record = log.begin(request)
    const { headers, method = "GET", socket, url = "/" } = request
    let interrupt: (() => void) | undefined
    const body = new RequestBody(request, maximumBody, (resume) => inTurn(socket, resume))
    response.on("close", () => {
      interrupt?.()
      log.end(record, response)
    })
    // When its turn comes, most of a request has arrived completely. A refused request does not wait for its body.
    inTurn(socket, () => {
      if (response.destroyed) return
      const answering = Effect.mapEager(answer({ method, url, headers, record, body }), (answered) => {
        body.discard()
        send(response, record, answered, log)
      })
      if (Exit.isExit(answering)) return
      const fiber = run(answering)
      interrupt = () => fiber.interruptUnsafe()
    })
  }
})

/**
 * Runs work in the order of arrival, for a few requests per turn of the event loop. If one turn answered all pending
 * requests, a request that arrives slightly later would wait for all of the next turn, twice as long as the others. The
 * answers of a turn are sent together, so that a client on the same machine wakes up once for all of them.
 */
const turns = () => {
  const waiting: Array<{ readonly socket: Socket; readonly work: () => void }> = []
  const turn = () => {
    const few = waiting.splice(0, requestsPerTurn)
    for (const { socket, work } of few) {
      socket.cork()
      work()
    }
    for (const { socket } of few) socket.uncork()
    if (waiting.length > 0) setImmediate(turn)
  }
  return (socket: Socket, work: () => void): void => {
    if (waiting.push({ socket, work }) === 1) setImmediate(turn)
  }
}

const requestsPerTurn = 4

const send = (
  response: ServerResponse,
  record: RequestRecord,
  { body = "", contentType = "application/json", headers = {}, status }: Answer,
  log: RequestLog["Service"]
): void => {
  // An array of names and values is cheaper for Node than an object, and the order does not matter.
  const sent: Array<string> = [requestIdHeader, record.id]
  for (const name in headers) sent.push(name, headers[name] ?? "")
  if (typeof body !== "string" && Stream.isStream(body)) {
    sent.push("Content-Type", contentType)
    response.writeHead(status, sent)
    // A failure is logged where it occurs. The client sees that the answer is truncated.
    pipeline(
      Readable.from(Stream.toAsyncIterable(log.followBody(record, body))),
      segmentSink(response),
      () => undefined
    )
    return
  }
  const length = Buffer.byteLength(body)
  record.bytes = length
  if (length > 0) sent.push("Content-Type", contentType)
  sent.push("Content-Length", String(length))
  response.writeHead(status, sent)
  // Node writes a Latin-1 string as it is, but measures and converts any other string.
  response.end(body, typeof body === "string" && body.length === length ? "latin1" : "utf8")
}

/** Milliseconds without progress after which an unread answer is abandoned. */
const maxStall = 60_000

/**
 * A sink that frees each segment once it is sent. Otherwise the garbage collector, which counts the memory of segments
 * from other threads, would stop all requests several times a second while pages of 10,000 are read.
 */
export const segmentSink = (response: ServerResponse, stall: number = maxStall): Writable => {
  response.req.socket.setTimeout(stall)
  const sink = new Writable({
    write: (segment: Uint8Array, _encoding, done) => {
      response.write(segment, (error) => {
        free(segment)
        done(error)
      })
    },
    final: (done) => {
      response.end(done)
    },
    destroy: (error, done) => {
      if (!response.writableEnded) response.destroy()
      done(error)
    }
  })
  response.once("close", () => sink.destroy())
  return sink
}

/** Frees the memory of a segment, unless it is shared: small segments are parts of a common buffer. */
const free = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/** Receives requests from `node:http` and sends their answers. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { pipeline, Readable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import { makeHttp } from "./Http.ts"
import { requestIdHeader, RequestLog } from "./observability/RequestLog.ts"
import { type Answer, BodyTooLong, type RequestRecord } from "./requests/ServedRequest.ts"
import { Settings } from "./Settings.ts"

/** The listener of the server. A request whose client has gone is interrupted; so are all others when the scope closes. */
export const requestListener = Effect.gen(function* () {
  const log = yield* RequestLog
  const answer = yield* makeHttp
  const { maximumBody } = yield* Settings
  const run = yield* FiberSet.makeRuntime()
  const inTurn = turns()

  return (request: IncomingMessage, response: ServerResponse): void => {
    const record = log.begin(request)
    const { headers, method = "GET", url = "/" } = request
    const body = receive(request, maximumBody, inTurn)
    const answering = run(answer({ method, url, headers, record, body }))
    response.on("close", () => {
      answering.interruptUnsafe()
      log.end(record, response)
    })
    answering.addObserver((exit) => {
      if (Exit.isSuccess(exit)) send(response, record, exit.value, log)
    })
  }
})

type InTurn = (socket: Socket, work: () => void) => void

/** Waits for the body of the request, and then for the request's turn. */
const receive = (request: IncomingMessage, maximumBody: number, inTurn: InTurn) =>
  Effect.callback<Uint8Array, BodyTooLong>((resume) => {
    if (Number(request.headers["content-length"] ?? 0) > maximumBody) return resume(Effect.fail(new BodyTooLong()))
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= maximumBody) chunks.push(chunk)
      else resume(Effect.fail(new BodyTooLong()))
    })
    request.on("end", () => inTurn(request.socket, () => resume(Effect.succeed(joined(chunks)))))
  })

const joined = ([first = Buffer.alloc(0), ...rest]: ReadonlyArray<Buffer>): Uint8Array =>
  rest.length === 0 ? first : Buffer.concat([first, ...rest])

/**
 * Resumes requests in order of arrival, a few per turn of the event loop. If one turn answered all pending requests, a
 * request that arrives slightly later would be the last of the next turn and wait twice as long as the others. The answers
 * of a turn are sent together, so that a client on the same machine wakes up once for them.
 */
const turns = (): InTurn => {
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
  return (socket, work) => {
    if (waiting.push({ socket, work }) === 1) setImmediate(turn)
  }
}

const requestsPerTurn = 4

const send = (
  response: ServerResponse,
  record: RequestRecord,
  { body = "", contentType = "application/json", headers, status }: Answer,
  log: RequestLog["Service"]
): void => {
  const sent: Record<string, string | number> = { ...headers, [requestIdHeader]: record.id }
  if (typeof body !== "string" && Stream.isStream(body)) {
    response.writeHead(status, { ...sent, "Content-Type": contentType })
    // A failure is logged where it occurs. The client sees that the answer is cut off.
    pipeline(Readable.from(Stream.toAsyncIterable(log.followBody(record, body))), response, () => undefined)
    return
  }
  const length = Buffer.byteLength(body)
  record.bytes = length
  if (length > 0) sent["Content-Type"] = contentType
  sent["Content-Length"] = length
  response.writeHead(status, sent)
  // Node writes a text of bytes as it is, and measures and converts any other one.
  response.end(body, typeof body === "string" && body.length === length ? "latin1" : "utf8")
}

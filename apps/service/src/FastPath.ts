/**
 * The fast path: answers a plain credentials search without the router.
 *
 * Most programs that use this API send only this request, and routing, middleware and request objects take several times as
 * long as the search. The fast path calls the same services as the router and gives the same answers, byte for byte. It
 * leaves other requests (another content type, no or a large content length, `Expect`) to the router. A property test in
 * `test/FastPath.test.ts` compares the two.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { pipeline, Readable } from "node:stream"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { credentials as endpoints } from "@threat-exposure/core/api/Endpoints"
import { versionOf } from "@threat-exposure/core/domain/ErrorBody"
import {
  encodeFailure,
  type Forbidden,
  type RateLimited,
  type Unauthorized,
  type ValidationFailed
} from "@threat-exposure/core/domain/Failures"
import { Authorization, bearerToken } from "./access/Authorization.ts"
import { Credentials } from "./credentials/Credentials.ts"
import { limitHeaders, quotaHeaders } from "./limits/http.ts"
import { requestIdHeader, RequestLog, type RequestRecord } from "./observability/RequestLog.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { bodyDecoder } from "./requests/JsonBody.ts"
import { failureAnswer } from "./requests/Refusal.ts"
import { refuseCursor } from "./requests/ValidationFaults.ts"
import { Settings } from "./Settings.ts"

/** Answers a plain credentials search; false for any other request, which is then untouched. */
export const fastPath = Effect.gen(function* () {
  const { authorize } = yield* Authorization
  const credentials = yield* Credentials
  const search = (tenantId: number, body: Uint8Array) =>
    Effect.fromResult(decodeSearch(body)).pipe(
      Effect.flatMapEager((search) => credentials.search(tenantId, search)),
      Effect.catchEager((failure) => (failure._tag === "CursorInvalid" ? refuseCursor("body")() : Effect.fail(failure)))
    )
  const log = yield* RequestLog
  const { within } = yield* StoreHealth
  const { maximumBody, pathPrefix } = yield* Settings
  const run = yield* FiberSet.makeRuntime()
  const path = `/${pathPrefix}${endpoints.search.path}`
  const version = versionOf(path)
  const inTurn = turns()

  /**
   * The services are eager: their effects have already completed and need no fiber, unless they wait for a thread or a
   * network.
   */
  const settle = <A>(
    response: ServerResponse,
    record: RequestRecord,
    result: Effect.Effect<A, Forbidden | RateLimited | Unauthorized | ValidationFailed>,
    onSuccess: (value: A) => void
  ): void => {
    const timed = Exit.isExit(result) ? result : within(record.startedAt, result)
    const settled = Effect.matchCauseEager(timed, { onSuccess, onFailure: (cause) => refuse(response, record, cause) })
    if (!Exit.isExit(settled)) run(settled)
  }

  const refuse = (
    response: ServerResponse,
    record: RequestRecord,
    cause: Cause.Cause<Forbidden | RateLimited | Unauthorized | ValidationFailed>
  ): void => {
    const refusal = Cause.findErrorOption(cause)
    if (Option.isSome(refusal)) {
      const { body, status } = encodeFailure(refusal.value, version)
      const headers = refusal.value._tag === "RateLimited" ? limitHeaders(refusal.value) : undefined
      return send(response, record, status, JSON.stringify(body), headers)
    }
    const failure = Cause.squash(cause)
    log.failed(record, failure)
    const { body, headers, status } = failureAnswer(path, failure)
    send(response, record, status, body, headers)
  }

  return (request: IncomingMessage, response: ServerResponse, record: RequestRecord): boolean => {
    const { headers, method, socket, url } = request
    const isPlain =
      method === endpoints.search.method &&
      url === path &&
      headers["content-type"] === "application/json" &&
      Number(headers["content-length"]) <= maximumBody &&
      headers.expect === undefined
    if (!isPlain) return false
    // A request without permission is refused before its body has arrived.
    const token = bearerToken(headers.authorization)
    settle(response, record, authorize(endpoints.search, token, record), ({ tenantId }) =>
      whenReceived(request, (body) =>
        inTurn(socket, () =>
          settle(response, record, search(tenantId, body), ({ json, quota }) => {
            const headers = quotaHeaders(quota)
            if (Stream.isStream(json)) sendStream(response, record, log.followBody(record, json), headers)
            else send(response, record, 200, json, headers)
          })
        )
      )
    )
    return true
  }
})

const decodeSearch = bodyDecoder(endpoints.search.payload)

const whenReceived = (request: IncomingMessage, then: (body: Uint8Array) => void): void => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
  })
  request.on("end", () => then(joined(chunks)))
}

const joined = ([first = Buffer.alloc(0), ...rest]: ReadonlyArray<Buffer>): Uint8Array =>
  rest.length === 0 ? first : Buffer.concat([first, ...rest])

/**
 * Answers requests in order of arrival, a few per turn of the event loop. If one turn answered all pending requests, a
 * request that arrives slightly later would be the last of the next turn and wait twice as long as the others. The answers
 * of a turn are sent together, so that a client on the same machine wakes up once for them.
 */
const turns = () => {
  const waiting: Array<{ readonly socket: Socket; readonly answer: () => void }> = []
  const turn = () => {
    const few = waiting.splice(0, answersPerTurn)
    for (const { answer, socket } of few) {
      socket.cork()
      answer()
    }
    for (const { socket } of few) socket.uncork()
    if (waiting.length > 0) setImmediate(turn)
  }
  return (socket: Socket, answer: () => void): void => {
    if (waiting.push({ socket, answer }) === 1) setImmediate(turn)
  }
}

const answersPerTurn = 4

const sendStream = (
  response: ServerResponse,
  record: RequestRecord,
  json: Stream.Stream<Uint8Array>,
  headers: Record<string, string>
): void => {
  response.writeHead(200, { "Content-Type": "application/json", [requestIdHeader]: record.id, ...headers })
  // A failure is logged where it occurs. The client sees that the answer is cut off.
  pipeline(Readable.from(Stream.toAsyncIterable(json)), response, () => undefined)
}

const send = (
  response: ServerResponse,
  record: RequestRecord,
  status: number,
  json: string | Uint8Array,
  headers?: Record<string, string>
): void => {
  record.bytes = Buffer.byteLength(json)
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": record.bytes,
    [requestIdHeader]: record.id,
    ...headers
  })
  // Node writes a text of bytes as it is, and measures and converts any other one.
  response.end(json, typeof json === "string" && json.length === record.bytes ? "latin1" : "utf8")
}

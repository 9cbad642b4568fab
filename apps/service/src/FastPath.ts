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
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import { credentials } from "@threat-exposure/core/api/Endpoints"
import { versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { encodeFailure } from "@threat-exposure/core/domain/Failures"
import { Authorization, bearerToken } from "./access/Authorization.ts"
import { searchCredentials } from "./credentials/http.ts"
import { limitHeaders, quotaHeaders } from "./limits/http.ts"
import { CurrentRequest, requestIdHeader, RequestLog, type RequestRecord } from "./observability/RequestLog.ts"
import { failureAnswer } from "./requests/Refusal.ts"
import { Settings } from "./Settings.ts"

/** Answers a plain credentials search; false for any other request, which is then untouched. */
export const fastPath = Effect.gen(function* () {
  const { authorize } = yield* Authorization
  const search = yield* searchCredentials
  const log = yield* RequestLog
  const { maximumBody, pathPrefix } = yield* Settings
  const run = yield* FiberSet.makeRuntime()
  const path = `/${pathPrefix}${credentials.search.path}`
  const version = versionOf(path)
  const waitForTurn = turns()

  const answer = Effect.fnUntraced(
    function* (request: IncomingMessage, response: ServerResponse, record: RequestRecord) {
      // Check access before receiving the body.
      const { tenantId } = yield* authorize(credentials.search, bearerToken(request.headers.authorization))
      const body = yield* bodyOf(request)
      yield* waitForTurn(request.socket)
      const { json, quota } = yield* search(tenantId, body)
      send(response, record, 200, json, quotaHeaders(quota))
    },
    (answered, _request, response, record) =>
      Effect.matchCause(Effect.provideService(answered, CurrentRequest, record), {
        onSuccess: () => {},
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return
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
      })
  )

  return (request: IncomingMessage, response: ServerResponse, record: RequestRecord): boolean => {
    const { headers, method, url } = request
    const isPlain =
      method === credentials.search.method &&
      url === path &&
      headers["content-type"] === "application/json" &&
      Number(headers["content-length"]) <= maximumBody &&
      headers.expect === undefined
    if (isPlain) run(answer(request, response, record))
    return isPlain
  }
})

const bodyOf = (request: IncomingMessage) =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
    })
    request.on("end", () => resume(Effect.succeed(textOf(chunks))))
    // The client has disconnected.
    request.on("close", () => resume(Effect.interrupt))
  })

/** Without a byte order mark, as the router decodes it. */
const textOf = ([first, ...rest]: ReadonlyArray<Buffer>): string => {
  if (first === undefined) return ""
  const text = (rest.length === 0 ? first : Buffer.concat([first, ...rest])).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * Answers requests in order of arrival, a few per turn of the event loop. If one turn answered all pending requests, a
 * request that arrives slightly later would be the last of the next turn and wait twice as long as the others. The answers
 * of a turn are sent together, so that a client on the same machine wakes up once for them.
 */
const turns = () => {
  const waiting: Array<{ readonly socket: Socket; readonly go: () => void }> = []
  const turn = () => {
    const few = waiting.splice(0, answersPerTurn)
    for (const { go, socket } of few) {
      socket.cork()
      go()
    }
    for (const { socket } of few) socket.uncork()
    if (waiting.length > 0) setImmediate(turn)
  }
  return (socket: Socket) =>
    Effect.callback<void>((resume) => {
      if (waiting.push({ socket, go: () => resume(Effect.void) }) === 1) setImmediate(turn)
    })
}

const answersPerTurn = 4

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
  response.end(json)
}

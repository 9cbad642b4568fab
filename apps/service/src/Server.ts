/**
 * The service on a port. Every request goes to the router but one kind: a plain credentials search takes a short way, for
 * most of what a server does for it otherwise is in between (see `CredentialSearches`). The router answers the same to it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { credentials } from "@threat-exposure/core/api/Endpoints"
import { versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { encodeFailure, type ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { bearerToken, Gate, type Refusal } from "./access/Gate.ts"
import { type CredentialAnswer, CredentialSearches, isLong } from "./credentials/CredentialSearches.ts"
import { DrainingServer } from "./DrainingServer.ts"
import { answeringAll, routes } from "./Http.ts"
import type { ApiKey } from "./keys/ApiKeys.ts"
import { GlobalSearches } from "./limits/GlobalSearches.ts"
import { limitHeaders } from "./limits/RetryAfter.ts"
import { RequestLog } from "./RequestLog.ts"
import { failureAnswer } from "./requests/Refusal.ts"
import { Settings } from "./Settings.ts"

export class Server extends Context.Service<Server, { readonly url: string }>()("@threat-exposure/service/Server") {
  /** On its scope's close it takes no more connections and finishes what runs: see `DrainingServer`. */
  static readonly layerNoDeps = ({ host, port }: Address) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const settings = yield* Settings
        const log = yield* RequestLog
        const routed = yield* NodeHttpServer.makeHandler(
          answeringAll(yield* routes).pipe(
            Effect.provideService(HttpIncomingMessage.MaxBodySize, BigInt(settings.maximumBody))
          ),
          { scope: yield* Effect.scope }
        )
        const searched = yield* shortWay
        const listener = (request: IncomingMessage, response: ServerResponse) => {
          log.follow(request, response)
          if (!searched(request, response)) routed(request, response)
        }
        const server = new DrainingServer({ noDelay: true, requestTimeout: longestRequest }, listener)
        yield* Effect.acquireRelease(listening(server, { host, port }), () =>
          Effect.callback<void>((resume) => server.drain(settings.idleGrace, () => resume(Effect.void)))
        )
        const address = server.address()
        const bound = address === null || typeof address === "string" ? port : address.port
        return Server.of({ url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}` })
      })
    )

  /** With the log of requests still open. */
  static readonly layerNoLog = (address: Address) =>
    this.layerNoDeps(address).pipe(
      Layer.provide([NodeHttpServer.layerHttpServices, CredentialSearches.layer]),
      Layer.provide(Gate.layer),
      Layer.provide(GlobalSearches.layer)
    )

  static readonly layer = (address: Address) => this.layerNoLog(address).pipe(Layer.provide(RequestLog.layer))
}

/** Milliseconds in which a request must have come whole: a body is a megabyte at most. */
const longestRequest = 60_000

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** The port is taken, or the host is not this machine's. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot listen on ${this.host}:${this.port}: ${this.reason}. Choose another --host or --port.`
  }
}

const listening = (server: DrainingServer, { host, port }: Address) =>
  Effect.callback<void, CannotListen>((resume) => {
    const refused = ({ message }: Error) => resume(Effect.fail(new CannotListen({ host, port, reason: message })))
    server.once("error", refused)
    server.listen(port, host, 1_024, () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })

/** Answers what is a plain credentials search, and says whether it was one. */
const shortWay = Effect.gen(function* () {
  const gate = yield* Gate
  const searches = yield* CredentialSearches
  const clock = yield* Clock.Clock
  const log = yield* RequestLog
  const { maximumBody, pathPrefix } = yield* Settings
  const path = `/${pathPrefix}${credentials.search.path}`

  const fail = (cause: unknown, response: ServerResponse): void => {
    log.failed(cause)
    const { body, headers, status } = failureAnswer(path, cause)
    sendJson(response, status, body, headers)
  }

  /** Before the body has come, so that whoever may not ask need not be listened to. Undefined where it is answered. */
  const admitted = (token: string, response: ServerResponse): ApiKey | undefined => {
    try {
      const key = gate.admit(credentials.search, token, clock.currentTimeMillisUnsafe())
      if (!(key instanceof Error)) return key
      refuse(response, path, key)
    } catch (cause) {
      fail(cause, response)
    }
    return undefined
  }

  const answer = (body: string, key: ApiKey, response: ServerResponse): void => {
    const found = searches.answer(key, body, clock.currentTimeMillisUnsafe())
    if (found instanceof Error) return refuse(response, path, found)
    if (!isLong(found)) return send(response, found)
    searches.long(found).then(
      (page) => send(response, page),
      (cause: unknown) => fail(cause, response)
    )
  }

  const inTurn = turns()
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers, method, url } = request
    const length = Number(headers["content-length"])
    // What is not plain is the router's to refuse: it does so before the body is read.
    const plain =
      method === credentials.search.method &&
      url === path &&
      headers["content-type"] === "application/json" &&
      length <= maximumBody
    if (!plain || headers.expect !== undefined) return false
    const key = admitted(bearerToken(headers.authorization), response)
    if (key === undefined) return true
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
    })
    request.on("end", () =>
      inTurn(request.socket, () => {
        try {
          answer(textOf(chunks), key, response)
        } catch (cause) {
          fail(cause, response)
        }
      })
    )
    return true
  }
})

/**
 * Answers in the order in which requests came, a few in each turn of the event loop. When all that the loop found are
 * answered in one turn, whoever comes a moment later is answered last in the next one, and waits twice as long as the rest.
 * The few are sent together: a program on the same machine is woken once for them.
 */
const turns = () => {
  const waiting: Array<{ readonly socket: Socket; readonly answer: () => void }> = []
  const turn = () => {
    const few = waiting.splice(0, answeredInATurn)
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

const answeredInATurn = 4

/** Without a byte order mark, as the router reads it. */
const textOf = ([first, ...rest]: ReadonlyArray<Buffer>): string => {
  if (first === undefined) return ""
  const text = (rest.length === 0 ? first : Buffer.concat([first, ...rest])).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

const send = (response: ServerResponse, { headers, json }: CredentialAnswer): void =>
  sendJson(response, 200, json, headers)

const sendJson = (
  response: ServerResponse,
  status: number,
  json: string | Uint8Array,
  headers: Record<string, string>
): void => {
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(json),
    ...headers
  })
  response.end(json)
}

const refuse = (response: ServerResponse, path: string, failure: Refusal | ValidationFailed): void => {
  const { body, status } = encodeFailure(failure, versionOf(path))
  sendJson(response, status, JSON.stringify(body), failure._tag === "RateLimited" ? limitHeaders(failure) : {})
}

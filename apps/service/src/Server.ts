/** The service on a port: plain credentials searches take the fast path, every other request the router. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DrainingServer } from "./DrainingServer.ts"
import { fastPath } from "./FastPath.ts"
import { answeringAll, routes } from "./Http.ts"
import { Quota } from "./limits/Quota.ts"
import { Metrics, metricsLayer } from "./observability/Metrics.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { followRouted, RequestLog } from "./observability/RequestLog.ts"
import { Services } from "./Services.ts"
import { Settings } from "./Settings.ts"

export class Server extends Context.Service<Server, { readonly url: string }>()("@threat-exposure/service/Server") {
  /** When its scope closes, it stops accepting connections and finishes running requests: see `DrainingServer`. */
  static readonly layerNoDeps = ({ host, port }: Address) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const settings = yield* Settings
        const log = yield* RequestLog
        yield* registerMetrics
        // Created before the finalizer that drains the server, so that it closes after it: closing it interrupts running requests.
        const requests = yield* Scope.fork(yield* Effect.scope)
        const routed = yield* NodeHttpServer.makeHandler(
          answeringAll(yield* routes, log).pipe(
            Effect.provideService(HttpIncomingMessage.MaxBodySize, BigInt(settings.maximumBody))
          ),
          { scope: requests }
        )
        const answeredFast = yield* fastPath
        const listener = (request: IncomingMessage, response: ServerResponse) => {
          const record = log.follow(request, response)
          if (answeredFast(request, response, record)) return
          followRouted(request, response, record)
          routed(request, response)
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

  static readonly layer = (address: Address) =>
    this.layerNoDeps(address).pipe(
      Layer.provide([NodeHttpServer.layerHttpServices, RequestLog.layer, Services]),
      Layer.provide(metricsLayer)
    )
}

/** Milliseconds in which a request must have arrived completely; a body has at most a megabyte. */
const longestRequest = 60_000

export interface Address {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
}

/** The port is in use, or the host is not an address of this machine. */
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

/** Registers values that are read with each request for the metrics. */
const registerMetrics = Effect.gen(function* () {
  const { gauges } = yield* StoreHealth
  const { charged } = yield* Quota
  const { counter, gauge } = yield* Metrics
  counter("threat_exposure_quota_units_total", "Units of search quota charged, all tenants", charged)
  for (const { help, name, read } of gauges) gauge(name, help, read)
})

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { DrainingServer } from "./DrainingServer.ts"
import { Quota } from "./limits/Quota.ts"
import { Metrics, metricsLayer } from "./observability/Metrics.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { requestListener } from "./NodeRequests.ts"
import { RequestLog } from "./observability/RequestLog.ts"
import { Services } from "./Services.ts"
import { Settings } from "./Settings.ts"

export class Server extends Context.Service<Server, { readonly url: string; readonly isIdle: () => boolean }>()(
  "@threat-exposure/service/Server"
) {
  /**
   * When the scope closes, the server stops accepting connections and completes running requests: see `DrainingServer`.
   */
  static readonly layerNoDeps = ({ host, port }: Address) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const { idleGrace } = yield* Settings
        yield* registerMetrics
        // Created before the finalizer that drains the server: closing this scope interrupts running requests.
        const requests = yield* Scope.fork(yield* Effect.scope)
        const listener = yield* Scope.provide(requestListener, requests)
        const server = new DrainingServer(
          { noDelay: true, requestTimeout: maxReceiving, keepAliveTimeout: maxIdle },
          listener
        )
        yield* Effect.acquireRelease(listen(server, { host, port }), () =>
          Effect.callback<void>((resume) => server.drain(idleGrace, () => resume(Effect.void)))
        )
        const address = server.address()
        const bound = address === null || typeof address === "string" ? port : address.port
        return Server.of({
          url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
          isIdle: () => server.isIdle
        })
      })
    )

  static readonly layer = (address: Address) =>
    this.layerNoDeps(address).pipe(Layer.provide([RequestLog.layer, Services]), Layer.provide(metricsLayer))
}

/** Milliseconds within which a request must arrive completely; a body has at most a megabyte. */
const maxReceiving = 60_000

/** Milliseconds: longer than the minute after which proxies close an idle connection, so that they close it first. */
const maxIdle = 75_000

export interface Address {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
}

export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot listen on ${this.host}:${this.port}: ${this.reason}. Choose another --host or --port.`
  }
}

const listen = (server: DrainingServer, { host, port }: Address) =>
  Effect.callback<void, CannotListen>((resume) => {
    const refuse = ({ message }: Error) => resume(Effect.fail(new CannotListen({ host, port, reason: message })))
    server.once("error", refuse)
    server.listen(port, host, 1_024, () => {
      server.off("error", refuse)
      resume(Effect.void)
    })
  })

const registerMetrics = Effect.gen(function* () {
  const { gauges } = yield* StoreHealth
  const { charged } = yield* Quota
  const { counter, gauge } = yield* Metrics
  counter("threat_exposure_quota_units_total", "Units of search quota charged, all tenants", charged)
  for (const { help, name, read } of gauges) gauge(name, help, read)
})

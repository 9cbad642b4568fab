/** What a client knows beside its operations, and the layer that every service of the client is built over. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type { ClientOptions } from "../transport/ClientOptions.ts"
import { makeTransport, type Quota, type Transport } from "../transport/Transport.ts"

export type { Quota } from "../transport/Transport.ts"

export interface WithFetch {
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export class ApiClient extends Context.Service<
  ApiClient,
  {
    /** As last heard, from any call. */
    readonly quota: Effect.Effect<Quota>
    /** What the other services of the client send their calls with; not for programs. */
    readonly transport: Transport
  }
>()("@threat-exposure/core/client/ApiClient") {
  /** Over the `HttpClient` at hand, which must not follow redirects by itself; one over fetch is told not to. */
  static readonly layerNoDeps = (options: ClientOptions) =>
    Layer.effect(
      ApiClient,
      Effect.map(makeTransport(options), (transport) => ApiClient.of({ quota: transport.quota, transport }))
    )

  /** Over fetch: the one given, or the global one as it is when a request is made. */
  static readonly layer = ({ fetch, ...options }: ClientOptions & WithFetch) =>
    this.layerNoDeps(options).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch ?? globalFetch))
    )
}

const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

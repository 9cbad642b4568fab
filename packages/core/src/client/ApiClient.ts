/** The base layer of every service of the client, and the quota as last reported. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type { Quota } from "../promise/ClientOptions.ts"
import type { ClientOptions } from "../transport/ClientOptions.ts"
import { makeTransport, type Transport } from "../transport/Transport.ts"

export type { Quota } from "../promise/ClientOptions.ts"

export class ApiClient extends Context.Service<
  ApiClient,
  {
    /** As the last answer of any call reported it. */
    readonly quota: Effect.Effect<Quota>
    /** Internal: the other services of the client send their calls with it. */
    readonly transport: Transport
  }
>()("@threat-exposure/core/client/ApiClient") {
  /** Over the `HttpClient` in the context. It must not follow redirects itself; one over fetch is configured not to. */
  static readonly layerNoDeps = (options: ClientOptions) =>
    Layer.effect(
      ApiClient,
      Effect.map(makeTransport(options), (transport) => ApiClient.of({ quota: transport.quota, transport }))
    )

  /** Over the given `fetch`, or the global one at the time of each request. */
  static readonly layer = ({ fetch, ...options }: ClientOptions) =>
    this.layerNoDeps(options).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch ?? globalFetch))
    )
}

const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

/** The base layer of every service of the client, and the quota as last reported. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Tier, tokens } from "../api/Endpoints.ts"
import type { TokenDescription } from "../domain/Token.ts"
import type { ApiError } from "../transport/ApiError.ts"
import type { Quota, UncheckedOptions } from "../transport/ClientOptions.ts"
import { decoderOf, invoke, operation } from "../transport/Operation.ts"
import { rawCall, type RawRequest } from "../transport/RequestEncoder.ts"
import { emptyBody } from "../transport/ResponseBody.ts"
import { makeTransport, type Transport } from "../transport/Transport.ts"

export type { Quota } from "../transport/ClientOptions.ts"

export class ApiClient extends Context.Service<
  ApiClient,
  {
    /** As the last answer of any call reported it. */
    readonly quota: Effect.Effect<Quota>
    /** The tiers whose calls wait for each other, because the service has answered 429. */
    readonly limitedTiers: Effect.Effect<ReadonlySet<Tier>>
    /** Describes the token; undefined if the service does not support this (404). See docs/api.md#describe-a-token. */
    readonly whoAmI: Effect.Effect<TokenDescription | undefined, ApiError>
    /**
     * Calls an operation that this version does not know, and gives the JSON of its answer, undefined if it has none. The
     * path begins after the prefix. A GET or HEAD is retried, anything else is sent once. Errors contain no redacted value
     * of the request, and none in a field that is named like a secret; secrets in the answer are not redacted.
     */
    readonly request: (
      method: HttpMethod.HttpMethod,
      path: string,
      request?: RawRequest
    ) => Effect.Effect<unknown, ApiError>
    /** Internal: the other services of the client send their calls with it. */
    readonly transport: Transport
  }
>()("@threat-exposure/core/client/ApiClient") {
  /** Over the `HttpClient` in the context. It must not follow redirects itself; one over fetch is configured not to. */
  static readonly layerNoDeps = (options: UncheckedOptions) =>
    Layer.effect(
      ApiClient,
      Effect.map(makeTransport(options), (transport) =>
        ApiClient.of({
          quota: transport.quota,
          limitedTiers: transport.limitedTiers,
          whoAmI: Effect.catchTag(invoke(transport, describeToken, {}), "NotFound", () => Effect.succeed(undefined)),
          request: Effect.fn("ApiClient.request")(function* (method, path, request = {}) {
            const call = yield* rawCall(method, path, request)
            const response = yield* transport.send(call)
            const isEmpty = Result.isFailure(response.body) && response.body.failure === emptyBody
            return isEmpty ? undefined : yield* decoderOf(Schema.Unknown)(response, call)
          }),
          transport
        })
      )
    )

  /** Over the given `fetch`, or the global one at the time of each request. */
  static readonly layer = ({ fetch, ...options }: UncheckedOptions) =>
    this.layerNoDeps(options).pipe(
      // Built for each client: a shared one would keep the `fetch` of the first.
      Layer.provide(Layer.fresh(FetchHttpClient.layer)),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch ?? globalFetch))
    )
}

const describeToken = operation({ ...tokens.test, operation: "apiClient.whoAmI" })

const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

/** The base layer for all services of the client, with the last reported quota. */
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
    /** The quota according to the last response of any call. */
    readonly quota: Effect.Effect<Quota>
    /** The tiers whose calls are currently spaced, because the service has answered 429. */
    readonly limitedTiers: Effect.Effect<ReadonlySet<Tier>>
    /** Describes the token; undefined if the service does not support this (404). See docs/api.md#describe-a-token. */
    readonly whoAmI: Effect.Effect<TokenDescription | undefined, ApiError>
    /**
     * Calls an operation that this version has no method for. Returns the parsed JSON of the response; undefined if it
     * is empty. `path` begins after the prefix. GET and HEAD are retried, other methods are sent once. Errors contain
     * no redacted value of the request, and no value of a field that is named like a secret; secrets in the response
     * are not redacted.
     */
    readonly request: (
      method: HttpMethod.HttpMethod,
      path: string,
      request?: RawRequest
    ) => Effect.Effect<unknown, ApiError>
    /** Internal: the client's other services send their calls through it. */
    readonly transport: Transport
  }
>()("@threat-exposure/core/client/ApiClient") {
  /** The `HttpClient` in the context must not follow redirects; `FetchHttpClient` is configured accordingly. */
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

  /** Uses the given `fetch`, or the global one at the time of each request. */
  static readonly layer = ({ fetch, ...options }: UncheckedOptions) =>
    this.layerNoDeps(options).pipe(
      // Created for each client: a shared layer would keep the `fetch` of the first client.
      Layer.provide(Layer.fresh(FetchHttpClient.layer)),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch ?? globalFetch))
    )
}

const describeToken = operation("ApiClient.whoAmI", tokens.test)

/**
 * Requests uncompressed bodies: in Node 22.23 and 24.18 to 24.21, `fetch` ends the process with an assertion if a server
 * closes the connection while a large compressed body waits for its decompression.
 */
const globalFetch: typeof globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set("accept-encoding", "identity")
  return globalThis.fetch(input, { ...init, headers })
}

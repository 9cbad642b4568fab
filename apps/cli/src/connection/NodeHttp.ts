/**
 * Node's own HTTP, which takes less time and 14 MB less memory than `fetch`. Its shared agents keep connections, and use the
 * proxy of the environment under `NODE_USE_ENV_PROXY`.
 */
import { globalAgent } from "node:http"
import { globalAgent as secureAgent } from "node:https"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

/** Follows no redirects, and gives bodies as they come. */
export const nodeHttp = Layer.provide(
  NodeHttpClient.layerNodeHttpNoAgent,
  Layer.succeed(NodeHttpClient.HttpAgent, { http: globalAgent, https: secureAgent })
)

/** For the client of the service, which decodes compressed bodies. */
export const serviceHttp = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest(HttpClientRequest.setHeader("accept-encoding", "gzip, deflate"))
  )
).pipe(Layer.provide(nodeHttp))

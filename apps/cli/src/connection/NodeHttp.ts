/** Node's own HTTP client, which takes less time and 14 MB less memory than `fetch`. */
import { Agent, type AgentOptions, globalAgent } from "node:http"
import { Agent as SecureAgent, globalAgent as secureAgent } from "node:https"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

/** Node's types lack the options of an agent. */
const optionsOf = (agent: Agent): AgentOptions => Reflect.get(agent, "options")

/**
 * Agents with the settings of Node's global ones, such as the proxy of `NODE_USE_ENV_PROXY`. Closing the scope destroys
 * their connections: otherwise an unread answer would keep the process alive until the server closes the connection.
 */
const agents = Layer.effect(
  NodeHttpClient.HttpAgent,
  Effect.acquireRelease(
    Effect.sync(() => ({ http: new Agent(optionsOf(globalAgent)), https: new SecureAgent(secureAgent.options) })),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )
)

/** Does not follow redirects or decompress bodies. */
export const nodeHttp = Layer.provide(NodeHttpClient.layerNodeHttpNoAgent, agents)

/** For the client of the service, which decompresses bodies. */
export const serviceHttp = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest(HttpClientRequest.setHeader("accept-encoding", "gzip, deflate"))
  )
).pipe(Layer.provide(nodeHttp))

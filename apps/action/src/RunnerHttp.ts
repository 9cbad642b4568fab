/** HTTP through the proxy that the environment of the runner names. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"

/** Node's own HTTP, which loads in a fraction of the time that fetch takes. */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.unwrap(
  Effect.gen(function* () {
    const proxyEnv: Record<string, string> = {}
    for (const name of proxyVariables) {
      const value = yield* environmentVariable(name)
      if (value !== undefined) proxyEnv[name] = value
    }
    return NodeHttpClient.layerNodeHttpOptions({ keepAlive: true, proxyEnv })
  })
)

/** The same, with one request a second once the service has answered 429. */
export const rateLimited: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => {
    let free: number | undefined
    const turn = Effect.gen(function* () {
      if (free === undefined) return
      const now = yield* Clock.currentTimeMillis
      const at = Math.max(now, free)
      free = at + gap
      if (at > now) yield* Effect.sleep(at - now)
    })
    return HttpClient.transform(client, (send) =>
      Effect.andThen(turn, send).pipe(
        Effect.tap(({ status }) =>
          status === 429 && free === undefined
            ? Effect.map(Clock.currentTimeMillis, (now) => {
                free = now + gap
              })
            : Effect.void
        )
      )
    )
  })
).pipe(Layer.provide(layer))

/** Milliseconds between two requests, once the service has answered 429. */
const gap = 1000

const proxyVariables = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]

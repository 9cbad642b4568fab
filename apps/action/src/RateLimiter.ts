/** Services take about one search a second, and say so with a 429 alone: until then there is no reason to wait. */
import { Clock, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { layer as http } from "./RunnerHttp.ts"

/** Milliseconds between two requests, once the service has said that they come too fast. */
const gap = 1000

/** As fast as the service takes it, and one request a second from the first 429 on. */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
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
).pipe(Layer.provide(http))

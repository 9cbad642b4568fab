/** Prints what a command waits for once the service has not answered for two seconds. */
import { defaultLimits } from "@threat-exposure/core/client/ClientOptions"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import { type Saying, say } from "../output/Output.ts"

const silence = Duration.seconds(2)

/**
 * Wraps the HTTP client. Once per outage, it prints that the service does not answer, why, and until when the call is
 * retried.
 */
export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const saying = yield* Effect.context<Saying>()
    const scope = yield* Effect.scope
    /** Set by the first request since the last successful answer, until the next one; undefined between them. */
    let outage: { reason: string; notice?: Fiber.Fiber<void> } | undefined

    const watch = Effect.fnUntraced(function* (host: string) {
      const since = yield* Clock.currentTimeMillis
      const started: NonNullable<typeof outage> = { reason: "" }
      outage = started
      started.notice = yield* Effect.sleep(silence).pipe(
        Effect.andThen(
          Effect.suspend(() => {
            const until = DateTime.formatIso(DateTime.makeUnsafe(since + defaultLimits.deadline)).slice(11, 19)
            return say(
              `Waiting for an answer of ${host}${started.reason}; this call is tried until ${until} UTC at the latest`
            )
          })
        ),
        Effect.provideContext(saying),
        Effect.forkIn(scope)
      )
    })

    return HttpClient.transform(http, (sending, request) =>
      Effect.suspend(() => (outage === undefined ? watch(hostOf(request.url)) : Effect.void)).pipe(
        Effect.andThen(sending),
        Effect.tap(({ status }) =>
          Effect.suspend(() => {
            if (status === 429 || status >= 500) {
              if (outage !== undefined) outage.reason = ` (it answered ${status})`
              return Effect.void
            }
            const notice = outage?.notice
            outage = undefined
            // A sleeping fiber would retain the span of the request, and with it the decoded answer.
            return notice === undefined ? Effect.void : Fiber.interrupt(notice)
          })
        ),
        Effect.tapError(() =>
          Effect.sync(() => {
            if (outage !== undefined) outage.reason = " (it cannot be reached)"
          })
        )
      )
    )
  })
)

const hostOf = (url: string): string => URL.parse(url)?.host ?? "the service"

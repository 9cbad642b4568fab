/**
 * One line for every request: method, path, status, milliseconds. The query string, the headers and the bodies are left
 * out, for they hold what was searched. Lines are written together, a few times a second, to standard error.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

export class RequestLog extends Context.Service<
  RequestLog,
  {
    follow(request: IncomingMessage, response: ServerResponse): void
    /** Why a request could not be answered. */
    failed(cause: unknown): void
  }
>()("@threat-exposure/service/RequestLog") {
  static readonly layer = Layer.effect(
    RequestLog,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let lines: Array<string> = []
      const write = Effect.suspend(() => {
        if (lines.length === 0) return Effect.void
        const text = lines.join("\n")
        lines = []
        return Console.error(text)
      })
      yield* Effect.addFinalizer(() => write)
      yield* write.pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)
      return RequestLog.of({
        follow: (request, response) => {
          const { method, url } = request
          const startedAt = clock.currentTimeMillisUnsafe()
          response.on("close", () => {
            const status = response.writableFinished ? response.statusCode : "aborted"
            lines.push(`${method} ${pathOf(url ?? "")} ${status} ${clock.currentTimeMillisUnsafe() - startedAt} ms`)
          })
        },
        failed: (cause) => lines.push(`error: ${cause instanceof Error ? cause.message : String(cause)}`)
      })
    })
  )

  /** Writes nothing: for measurements and for tests that do not read it. */
  static readonly layerSilent = Layer.succeed(RequestLog, RequestLog.of({ follow: () => {}, failed: () => {} }))
}

/** Without the query, and without what could break the line or steer a terminal. */
const pathOf = (url: string): string =>
  url
    .split("?", 1)
    .join("")
    .replaceAll(/[^\x21-\x7E]/g, "?")
    .slice(0, 300)

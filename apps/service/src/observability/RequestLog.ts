import type { IncomingMessage, ServerResponse } from "node:http"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { RequestRecord } from "../requests/ServedRequest.ts"
import { describeFailure, Log } from "./Log.ts"
import { Metrics } from "./Metrics.ts"
import { monotonicNow } from "../MonotonicTime.ts"

export class RequestLog extends Context.Service<
  RequestLog,
  {
    /** The log entry of a request that begins. The routes complete it. */
    begin(request: IncomingMessage): RequestRecord
    /** Logs the request after its answer was sent or its connection was closed. */
    end(record: RequestRecord, response: ServerResponse): void
    logFailure(record: RequestRecord, cause: unknown): void
    /** Counts the bytes of a streamed body, and logs why it ends early. */
    followBody<E>(record: RequestRecord, body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E>
  }
>()("@threat-exposure/service/observability/RequestLog") {
  static readonly layer = Layer.effect(
    RequestLog,
    Effect.gen(function* () {
      const log = yield* Log
      const metrics = yield* Metrics
      const logFailure = ({ id, operation }: RequestRecord, cause: unknown) =>
        log.write("error", "a request could not be answered", {
          request_id: id,
          operation,
          cause: describeFailure(cause)
        })
      return RequestLog.of({
        begin: (request) => new RequestRecord(request.headers["x-request-id"], request.socket.remoteAddress),
        end: ({ address, bytes, id, keyId, operation, startedAt, tenantId }, response) => {
          const milliseconds = monotonicNow() - startedAt
          const status = response.writableFinished ? response.statusCode : "aborted"
          metrics.recordAnswer(operation, status, milliseconds / 1_000)
          log.write("info", "request", {
            request_id: id,
            key_id: keyId,
            tenant_id: tenantId,
            address,
            operation,
            status,
            duration_ms: Math.round(milliseconds * 100) / 100,
            bytes
          })
        },
        logFailure,
        followBody: (record, body) =>
          body.pipe(
            Stream.tap(({ length }) =>
              Effect.sync(() => {
                record.bytes += length
              })
            ),
            Stream.tapCause((cause) =>
              Effect.sync(() => {
                if (!Cause.hasInterruptsOnly(cause)) logFailure(record, Cause.squash(cause))
              })
            )
          )
      })
    })
  )
}

export const requestIdHeader = "X-Request-Id"

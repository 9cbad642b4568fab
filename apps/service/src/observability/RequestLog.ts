/** A line in the log and an update of the metrics for every request, at the end of its answer. */
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { describeFailure, Log } from "./Log.ts"
import { Metrics } from "./Metrics.ts"

export class RequestLog extends Context.Service<
  RequestLog,
  {
    /** Logs the request at the end of its answer. The handlers complete the record. */
    follow(request: IncomingMessage, response: ServerResponse): RequestRecord
    /** Logs why a request could not be answered, or not to the end. */
    failed(record: RequestRecord, cause: unknown): void
    /** The body of an answer without `Content-Length`: counts its bytes, and logs why it ends early. */
    followBody<E>(record: RequestRecord, body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E>
  }
>()("@threat-exposure/service/observability/RequestLog") {
  static readonly layer = Layer.effect(
    RequestLog,
    Effect.gen(function* () {
      const log = yield* Log
      const metrics = yield* Metrics
      const failed = ({ id, operation }: RequestRecord, cause: unknown) =>
        log.write("error", "a request could not be answered", {
          request_id: id,
          operation,
          cause: describeFailure(cause)
        })
      return RequestLog.of({
        follow: (request, response) => {
          const record = new RequestRecord(request.headers["x-request-id"])
          const address = request.socket.remoteAddress
          response.on("close", () => {
            const { bytes, id, keyId, operation, startedAt, tenantId } = record
            const milliseconds = performance.now() - startedAt
            const status = response.writableFinished ? response.statusCode : "aborted"
            metrics.answered(operation, status, milliseconds / 1_000)
            log.write("info", "request", {
              request_id: id,
              key_id: keyId,
              tenant_id: tenantId,
              address,
              operation,
              status,
              duration_ms: Math.round(milliseconds * 100) / 100,
              bytes: bytes ?? Number(response.getHeader("content-length") ?? 0)
            })
          })
          return record
        },
        failed,
        followBody: (record, body) =>
          body.pipe(
            Stream.tap(({ length }) =>
              Effect.sync(() => {
                record.bytes = (record.bytes ?? 0) + length
              })
            ),
            Stream.tapCause((cause) =>
              Effect.sync(() => {
                if (!Cause.hasInterruptsOnly(cause)) failed(record, Cause.squash(cause))
              })
            )
          )
      })
    })
  )
}

/** The log entry of a request. It never contains a query string, a header or a body, because they contain secrets. */
export class RequestRecord {
  readonly id: string
  /** In milliseconds of `performance.now`. */
  readonly startedAt = performance.now()
  /** The name in the contract. */
  operation = "unknown"
  keyId: string | undefined = undefined
  tenantId: number | undefined = undefined
  /** Length of the answer's body, if the response has no `Content-Length`. */
  bytes: number | undefined = undefined

  /** Keeps the id that a proxy gave the request if it contains only safe characters. */
  constructor(given: string | ReadonlyArray<string> | undefined) {
    this.id = typeof given === "string" && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
  }

  identify({ keyId, tenantId }: { readonly keyId: string; readonly tenantId: number }): void {
    this.keyId = keyId
    this.tenantId = tenantId
  }
}

export const requestIdHeader = "X-Request-Id"

/** The record of the request that is being answered; outside of a request, one that is not logged. */
export const CurrentRequest = Context.Reference<RequestRecord>(
  "@threat-exposure/service/observability/CurrentRequest",
  {
    defaultValue: () => new RequestRecord(undefined)
  }
)

/** Sets the operation of the current request: its name in the contract, or another for a page outside the prefix. */
export const nameRequest = (operation: string) =>
  Effect.map(CurrentRequest, (record) => {
    record.operation = operation
  })

/** For a request that the router answers: `recordOf` finds its record again. */
export const followRouted = (request: IncomingMessage, response: ServerResponse, record: RequestRecord): void => {
  response.setHeader(requestIdHeader, record.id)
  routed.set(request, record)
}

export const recordOf = ({ source }: HttpServerRequest.HttpServerRequest): RequestRecord =>
  routed.get(source) ?? new RequestRecord(undefined)

const routed = new WeakMap<object, RequestRecord>()

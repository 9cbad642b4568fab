import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Failure } from "@threat-exposure/core/domain/Failures"
import { monotonicNow } from "../MonotonicTime.ts"

export interface Route {
  readonly method: string
  /** Segments with a leading colon are parameters. */
  readonly path: `/${string}`
  readonly operation: string
  readonly answer: (request: ServedRequest, url: UrlParts) => Effect.Effect<Answer, BodyTooLong | Failure>
}

export interface ServedRequest {
  readonly method: string
  /** The path and query string. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly record: RequestRecord
  readonly body: {
    /** Waits for the body if it has not arrived yet. */
    readonly whole: Effect.Effect<Uint8Array, BodyTooLong>
  }
}

export interface UrlParts {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly searchParams: Readonly<Record<string, string | ReadonlyArray<string>>>
}

export class BodyTooLong extends Data.TaggedError("BodyTooLong") {}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: `application/json` if there is a body. */
  readonly contentType?: string
  /** A stream is sent while it is read. Each segment is freed after it was sent, so it cannot be used again. */
  readonly body?: string | Uint8Array | Stream.Stream<Uint8Array> | undefined
}

export const jsonAnswer = (body: unknown, headers?: Answer["headers"]): Answer => ({
  status: 200,
  headers,
  body: JSON.stringify(body)
})

/** The log entry of a request. It never contains a query string, a header or a body, because these contain secrets. */
export class RequestRecord {
  readonly id: string
  /** The address of the client, or of a proxy in front of the service. */
  readonly address: string | undefined
  /** In milliseconds of `monotonicNow`. */
  readonly startedAt = monotonicNow()
  /** The name of the operation in the contract. */
  operation = "unknown"
  keyId: string | undefined = undefined
  tenantId: number | undefined = undefined
  bytes = 0

  /** Keeps the request id of a proxy if it contains only safe characters. */
  constructor(given: string | ReadonlyArray<string> | undefined, address: string | undefined) {
    this.address = address
    this.id = typeof given === "string" && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
  }

  identify({ keyId, tenantId }: { readonly keyId: string; readonly tenantId: number }): void {
    this.keyId = keyId
    this.tenantId = tenantId
  }
}

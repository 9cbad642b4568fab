/** Sends requests to sinks over HTTP, and classifies their refusals. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { monotonicMillis } from "@threat-exposure/core/client/MonotonicTime"
import { connectionAdvice } from "@threat-exposure/leak-check/search/FailureText"
import { BatchTooLarge, type Delivery, deliveredAll, type OutgoingBatch, SinkBusy } from "./Sink.ts"

/** Limit for a request including its response. */
const timeout = Duration.seconds(60)

export interface Response {
  readonly status: number
  /** The JSON body; undefined if it is not JSON, or too long. */
  readonly answer: unknown
  /** Whether the response is a web page, as from a sign-in page or a proxy instead of a collector. */
  readonly isPage: boolean
  /** Milliseconds that the sink asks to wait. */
  readonly retryAfter: number | undefined
}

/** Sends the requests of one sink, but none before its last `Retry-After` has passed. */
export const makePost = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  let resting = { until: 0, reason: "" }
  return Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const now = yield* monotonicMillis
    if (now < resting.until) return yield* new SinkBusy({ reason: resting.reason, retryAfter: resting.until - now })
    const response: Response = yield* client.execute(request).pipe(
      Effect.flatMap((received) =>
        Effect.map(answerOf(received), (answer) => ({ answer, status: received.status, headers: received.headers }))
      ),
      Effect.timeout(timeout),
      Effect.mapError((error) => {
        if (Predicate.isTagged(error, "TimeoutError")) return new SinkBusy({ reason: "no answer in time" })
        const reason = `no answer${faultIn(error)}`
        return new SinkBusy({ reason: `${reason}: ${connectionAdvice(reason)}` })
      }),
      Effect.flatMap(({ answer, headers, status }) =>
        Effect.map(Clock.currentTimeMillis, (now) => ({
          answer,
          status,
          isPage: headers["content-type"]?.startsWith("text/html") === true,
          retryAfter: retryAfterOf(headers, now)
        }))
      )
    )
    if (response.retryAfter !== undefined) {
      const until = (yield* monotonicMillis) + response.retryAfter
      resting = { until, reason: `answered ${response.status}` }
    }
    return response
  })
})

/** The body as JSON. The size is limited, because a sink may never end its response. */
const answerOf = ({ stream }: HttpClientResponse.HttpClientResponse): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    let bytes = 0
    const text = yield* stream.pipe(
      Stream.takeWhile((chunk) => (bytes += chunk.length) <= maxAnswerBytes),
      Stream.decodeText,
      Stream.mkString
    )
    return bytes <= maxAnswerBytes ? yield* Schema.decodeEffect(JsonText)(text) : undefined
  }).pipe(Effect.orElseSucceed(() => undefined))

const JsonText = Schema.fromJsonString(Schema.Unknown)

/** Limit in bytes: an index answers with less than 2 KB per item. */
const maxAnswerBytes = 4_000_000

/** Milliseconds to wait. An HTTP date is compared with the sink's own clock if it sends a `Date`. */
const retryAfterOf = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  const sinkTime = Date.parse(headers["date"] ?? "")
  const wait = /^\d{1,7}$/u.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - (Number.isNaN(sinkTime) ? now : sinkTime)
  return wait > 0 ? wait : undefined
}

/**
 * The error code of the system or of TLS, such as ECONNREFUSED. Messages may contain the request, whose headers include
 * a token.
 */
const faultIn = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause) if ("code" in at) return ` (${at.code})`
  return ""
}

export const isBusyStatus = (status: number): boolean => status === 408 || status === 429 || status >= 500

/**
 * Whether the target is at fault: a wrong address or token, a missing index, or an index that is read-only because its
 * disk is full.
 */
export const isTargetStatus = (status: number): boolean => [401, 403, 404, 405].includes(status)

export const busy = ({ retryAfter, status }: Response, what = "answered") =>
  new SinkBusy({
    reason: `${what} ${status}${isBusyStatus(status) ? "" : ": check its address, its token and what it may write"}`,
    ...(retryAfter === undefined ? {} : { retryAfter })
  })

/** Statuses that can concern the events. With any other refusal, the events wait. */
const eventStatuses: ReadonlySet<number> = new Set([400, 413, 422])

export const refusalOf = (
  response: Response,
  items: OutgoingBatch["items"]
): Effect.Effect<Delivery, SinkBusy | BatchTooLarge> => {
  if (!eventStatuses.has(response.status)) return Effect.fail(busy(response))
  if (items.length > 1) return Effect.fail(new BatchTooLarge())
  return Effect.succeed({
    ...deliveredAll,
    rejected: items.map((item) => ({ item, reason: `answered ${response.status}` }))
  })
}

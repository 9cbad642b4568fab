/** Sinks that take batches over HTTP. */
import { createHash, createHmac } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { connectionAdvice } from "@threat-exposure/leak-check/search/FailureText"
import { member, text } from "../export/Records.ts"
import { BatchTooLarge, type OutgoingBatch, type Rejected, type Sink, SinkBusy } from "./Sink.ts"

/** Per request, the answer included. */
const timeout = Duration.seconds(60)

/** An OpenSearch or Elasticsearch index. The uid is the id of the document, so a repeated batch changes nothing. */
export const openSearchSink = Effect.fnUntraced(function* (
  name: string,
  { index, login, url }: { readonly url: string; readonly index: string; readonly login: Login | undefined }
) {
  const client = yield* HttpClient.HttpClient
  const sink: Sink = {
    name,
    send: Effect.fn("OpenSearchSink.send")(function* ({ items }) {
      const body = items
        .map(({ line, uid }) => `${JSON.stringify({ index: { _index: index, _id: documentId(uid) } })}\n${line}\n`)
        .join("")
      const request = HttpClientRequest.post(`${url}/_bulk`).pipe(
        HttpClientRequest.bodyText(body, "application/x-ndjson"),
        login === undefined
          ? (request) => request
          : HttpClientRequest.basicAuth(login.user, Redacted.value(login.password))
      )
      const { answer, status } = yield* post(client, request)
      if (status >= 300) return yield* refusalOf(status, items)
      const results = member(answer, "items")
      const rejected: Array<Rejected> = []
      for (const [position, result] of (Array.isArray(results) ? results : []).entries()) {
        const outcome = member(result, "index")
        const code = Number(member(outcome, "status"))
        const item = items[position]
        if (item === undefined || code < 300) continue
        const type = text(member(member(outcome, "error"), "type"))
        const why = whyBusy(code)
        if (why !== undefined)
          return yield* new SinkBusy({ reason: `an item was ${why}${type === "" ? "" : ` (${type})`}` })
        rejected.push({ item, reason: `${code} ${type}`.trim() })
      }
      if (!Array.isArray(results) || results.length !== items.length) {
        return yield* new SinkBusy({ reason: "the response does not list the items" })
      }
      return rejected
    })
  }
  return sink
})

export interface Login {
  readonly user: string
  readonly password: Redacted.Redacted
}

/** At most 512 bytes, which is the limit of both engines. */
const documentId = (uid: string): string =>
  Buffer.byteLength(uid) <= 512 ? uid : createHash("sha256").update(uid).digest("hex")

/** Signs each request, so that the receiver can tell who sent it and when. */
export const webhookSink = Effect.fnUntraced(function* (
  name: string,
  { secret, url }: { readonly url: string; readonly secret: Redacted.Redacted }
) {
  const client = yield* HttpClient.HttpClient
  const sink: Sink = {
    name,
    send: Effect.fn("WebhookSink.send")(function* ({ id, items }) {
      const body = `{"batch":${JSON.stringify(id)},"events":[${items.map(({ line }) => line).join(",")}]}`
      const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const signature = createHmac("sha256", Redacted.value(secret)).update(`${seconds}.${body}`).digest("hex")
      const request = HttpClientRequest.post(url).pipe(
        HttpClientRequest.bodyText(body, "application/json"),
        HttpClientRequest.setHeaders({
          "idempotency-key": id,
          "x-threat-exposure-signature": `t=${seconds},v1=${signature}`
        })
      )
      const { status } = yield* post(client, request)
      return status < 300 ? [] : yield* refusalOf(status, items)
    })
  }
  return sink
})

/** The HTTP Event Collector of Splunk. */
export const splunkSink = Effect.fnUntraced(function* (
  name: string,
  { token, url }: { readonly url: string; readonly token: Redacted.Redacted }
) {
  const client = yield* HttpClient.HttpClient
  const { origin, pathname } = new URL(url)
  const address = `${origin}${pathname === "/" ? "/services/collector/event" : pathname}`
  const sink: Sink = {
    name,
    send: Effect.fn("SplunkSink.send")(function* ({ items }) {
      const body = items.map(({ line }) => `{"sourcetype":"threat_exposure","event":${line}}`).join("\n")
      const request = HttpClientRequest.post(address).pipe(
        HttpClientRequest.bodyText(body, "application/json"),
        HttpClientRequest.setHeader("authorization", `Splunk ${Redacted.value(token)}`)
      )
      const { status } = yield* post(client, request)
      return status < 300 ? [] : yield* refusalOf(status, items)
    })
  }
  return sink
})

const post = (client: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest) =>
  client.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(
        Effect.orElseSucceed(response.json, (): unknown => undefined),
        (answer) => ({
          status: response.status,
          answer
        })
      )
    ),
    // Followed, a redirect would turn the batch into a GET whose answer counts as taken, or send it to another host.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.timeout(timeout),
    Effect.mapError((error) => {
      if (Predicate.isTagged(error, "TimeoutError")) return new SinkBusy({ reason: "no answer in time" })
      const reason = `no answer${faultIn(error)}`
      return new SinkBusy({ reason: `${reason}: ${connectionAdvice(reason)}` })
    })
  )

/** The code of the system or of TLS, such as ECONNREFUSED. The messages may contain the request, whose headers hold a token. */
const faultIn = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause) if ("code" in at) return ` (${at.code})`
  return ""
}

/** Why a status says nothing about the events, which wait; undefined if it does. */
const whyBusy = (status: number): string | undefined => {
  if (status === 408 || status === 429 || status >= 500) return `answered ${status}`
  // A wrong address or token, a missing index, or one that is closed to writing because a disk is full.
  return status < 400 || [401, 403, 404, 405].includes(status)
    ? `answered ${status}: check its address, its token and what it may write`
    : undefined
}

const refusalOf = (
  status: number,
  items: OutgoingBatch["items"]
): Effect.Effect<ReadonlyArray<Rejected>, SinkBusy | BatchTooLarge> => {
  const why = whyBusy(status)
  if (why !== undefined) return Effect.fail(new SinkBusy({ reason: why }))
  if (items.length > 1) return Effect.fail(new BatchTooLarge())
  return Effect.succeed(items.map((item) => ({ item, reason: `answered ${status}` })))
}

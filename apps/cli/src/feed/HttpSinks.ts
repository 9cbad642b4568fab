import { createHash, createHmac } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { counted } from "@threat-exposure/leak-check/Counted"
import { member, text } from "../export/Records.ts"
import { jsonText } from "../output/Output.ts"
import { redactText } from "../redaction/Redaction.ts"
import type { FeedItem } from "./FeedState.ts"
import {
  type BatchTooLarge,
  type Delivery,
  deliveredAll,
  type OutgoingBatch,
  type Rejected,
  type Sink,
  SinkBusy
} from "./Sink.ts"
import { busy, isBusyStatus, isTargetStatus, makePost, refusalOf, type Response } from "./SinkRequests.ts"

/**
 * An OpenSearch or Elasticsearch index or data stream. The uid is the id of the document, so repeating a batch changes
 * nothing in an index. A data stream only creates documents, and accepts a duplicate after a rollover: the sink
 * therefore looks up what an earlier attempt may have stored.
 */
export const openSearchSink = Effect.fnUntraced(function* (
  name: string,
  { index, login, url }: { readonly url: string; readonly index: string; readonly login: Login | undefined }
) {
  const post = yield* makePost
  const postTo = (path: string, body: string, contentType: string) =>
    HttpClientRequest.post(`${url}${path}`).pipe(
      HttpClientRequest.bodyText(body, contentType),
      login === undefined
        ? (request) => request
        : HttpClientRequest.basicAuth(login.user, Redacted.value(login.password)),
      post
    )
  let isDataStream = false

  const withoutStored = Effect.fnUntraced(function* (items: ReadonlyArray<FeedItem>) {
    const query = { ids: { values: items.map(streamId) } }
    const search = JSON.stringify({ size: items.length, _source: false, query })
    const refreshed = yield* postTo(`/${index}/_refresh`, "", "application/json")
    if (refreshed.status >= 300) return yield* busy(refreshed, "answered _refresh with")
    const found = yield* postTo(`/${index}/_search`, search, "application/json")
    if (found.status >= 300) return yield* busy(found, "answered _search with")
    const hits = member(member(found.answer, "hits"), "hits")
    const isPartial =
      member(found.answer, "timed_out") === true || Number(member(member(found.answer, "_shards"), "failed")) > 0
    if (!Array.isArray(hits) || isPartial) {
      return yield* new SinkBusy({ reason: "the search for stored documents is not complete" })
    }
    const stored = new Set(hits.map((hit) => text(member(hit, "_id"))))
    return items.filter((item) => !stored.has(streamId(item)))
  })

  const send = Effect.fnUntraced(function* (
    batch: OutgoingBatch
  ): Effect.fn.Return<Delivery, SinkBusy | BatchTooLarge> {
    const items = isDataStream && batch.isRepeat ? yield* withoutStored(batch.items) : batch.items
    if (items.length === 0) return deliveredAll
    const body = items
      .map((item) =>
        isDataStream
          ? `${JSON.stringify({ create: { _index: index, _id: streamId(item) } })}\n${withTimestamp(item.line, item.time)}\n`
          : `${JSON.stringify({ index: { _index: index, _id: documentId(item.uid) } })}\n${item.line}\n`
      )
      .join("")
    const response = yield* postTo("/_bulk", body, "application/x-ndjson")
    if (response.status >= 300) return yield* refusalOf(response, items)
    const results = member(response.answer, "items")
    if (!Array.isArray(results) || results.length !== items.length) {
      return yield* new SinkBusy({ reason: "the response does not list the items" })
    }
    const outcomes = items.map((item, position) => ({ item, ...outcomeOf(results[position]) }))
    if (!isDataStream && outcomes.some(({ status, why }) => status === 400 && needsCreate.test(why))) {
      isDataStream = true
      return yield* send(batch)
    }
    const failed = outcomes.filter(({ status }) => status >= 300 && !(isDataStream && status === 409))
    const busyOnes = failed.filter(({ status }) => isBusyStatus(status) || isTargetStatus(status))
    const refused = failed.filter((outcome) => !busyOnes.includes(outcome))
    const [first] = refused
    if (first !== undefined && refused.length === items.length && (items.length > 1 || !isDocumentFault(first))) {
      return yield* new SinkBusy({ reason: `every item was refused: ${first.kind}${first.why}` })
    }
    const [busyOne] = busyOnes
    // An item is at fault only if the store accepts others.
    const isTaking = busyOne === undefined || failed.length < items.length
    const deferred = isTaking ? busyOnes : failed
    return {
      rejected: isTaking ? refused.map(({ item, kind, why }) => ({ item, reason: `${kind}${why}` })) : [],
      deferred: deferred.map(({ item }) => item),
      reason:
        busyOne === undefined
          ? ""
          : `${counted(deferred.length, "item")} ${deferred.length === 1 ? "was" : "were"} refused for now: ${busyOne.kind}${busyOne.why}`,
      ...(response.retryAfter === undefined ? {} : { retryAfter: response.retryAfter })
    }
  })
  const sink: Sink = { name, send: Effect.fn("OpenSearchSink.send")(send) }
  return sink
})

/** The outcome of an item. It is the value of the operation's name; partly compatible stores use another name. */
const outcomeOf = (result: unknown) => {
  const [outcome] = Predicate.isObject(result) ? Object.values(result) : []
  const error = member(outcome, "error")
  const type = text(member(error, "type"))
  const status = Number(member(outcome, "status"))
  // Some reasons quote a part of the document.
  const [reason = ""] = (text(error) || text(member(error, "reason"))).split(/ ?Preview of field's value/u)
  const why = reason === "" ? "" : `: ${redactText(reason.slice(0, 300))}`
  return { status: Number.isNaN(status) ? 500 : status, type, kind: `${status} ${type}`.trim(), why }
}

const needsCreate = /op_type of create|data stream/u

/** Whether the error of a single item is the fault of its document. Without other items there is no comparison. */
const isDocumentFault = ({ type, why }: { readonly type: string; readonly why: string }) =>
  documentFaults.has(type) && !targetFaults.test(why)

/** Reasons with a type of {@link documentFaults} for which the index is at fault, not the document. */
const targetFaults = /pipeline|write index|\balias\b|Limit of total fields|maximum (?:normal )?shards/u

const documentFaults: ReadonlySet<string> = new Set([
  "document_parsing_exception",
  "illegal_argument_exception",
  "mapper_parsing_exception",
  "strict_dynamic_mapping_exception"
])

/** Adds `@timestamp`, which a data stream requires. */
const withTimestamp = (line: string, time: number | undefined): string =>
  line.startsWith('{"@timestamp":') || time === undefined
    ? line
    : `{"@timestamp":${JSON.stringify(new Date(time).toISOString())},${line.slice(1)}`

export interface Login {
  readonly user: string
  readonly password: Redacted.Redacted
}

/** An id of at most 512 bytes, the limit of both engines. */
const documentId = (uid: string): string =>
  Buffer.byteLength(uid) <= 512 ? uid : createHash("sha256").update(uid).digest("hex")

/** In a data stream, each version of an event is a document of its own. */
const streamId = ({ uid, version }: FeedItem): string => documentId(version === undefined ? uid : `${uid}@${version}`)

/** Signs each request, so that the receiver can verify sender and time. */
export const webhookSink = Effect.fnUntraced(function* (
  name: string,
  { secret, url }: { readonly url: string; readonly secret: Redacted.Redacted }
) {
  const post = yield* makePost
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
      const response = yield* post(request)
      return response.status < 300 ? deliveredAll : yield* refusalOf(response, items)
    })
  }
  return sink
})

/** The HTTP Event Collector of Splunk. `host` is the origin of the events. */
export const splunkSink = Effect.fnUntraced(function* (
  name: string,
  { host, token, url }: { readonly url: string; readonly token: Redacted.Redacted; readonly host: string }
) {
  const post = yield* makePost
  const { origin, pathname, search } = new URL(url)
  const address = `${origin}${pathname === "/" ? "/services/collector/event" : pathname}${search}`
  const members = `"host":${JSON.stringify(host)},"source":"threat-exposure feed","sourcetype":"threat_exposure"`
  const sink: Sink = {
    name,
    send: Effect.fn("SplunkSink.send")(function* ({ items }) {
      const body = items
        // Without `time`, the collector uses the time of arrival.
        .map(({ line, time }) => `{${time === undefined ? "" : `"time":${time / 1000},`}${members},"event":${line}}`)
        .join("\n")
      const request = HttpClientRequest.post(address).pipe(
        HttpClientRequest.bodyText(body, "application/json"),
        HttpClientRequest.setHeader("authorization", `Splunk ${Redacted.value(token)}`)
      )
      const response = yield* post(request)
      const code = Number(member(response.answer, "code") ?? 0)
      if (response.status < 300 && code === 0) {
        yield* refusePage(response)
        return deliveredAll
      }
      return response.status < 300 || (response.status === 400 && collectorFaults.has(code))
        ? yield* busy(response, `answered code ${code} (${redactText(text(member(response.answer, "text")))}) with`)
        : yield* refusalOf(response, items)
    })
  }
  return sink
})

/** Fails for a web page instead of a collector's answer: the items were not accepted. */
const refusePage = (response: Response): Effect.Effect<void, SinkBusy> =>
  response.isPage ? Effect.fail(busy(response, "answered a web page with")) : Effect.void

/**
 * Codes of a response with status 400 that concern the collector's set-up: index, channel, acknowledgement, sign-in by
 * query.
 */
const collectorFaults: ReadonlySet<number> = new Set([7, 10, 11, 14, 16])

/** OpenTelemetry logs over HTTP as JSON (OTLP). */
export const otlpSink = Effect.fnUntraced(function* (
  name: string,
  { headers, url }: { readonly url: string; readonly headers: Redacted.Redacted | undefined }
) {
  const post = yield* makePost
  const { origin, pathname, search } = new URL(url)
  const address = `${origin}${pathname === "/" ? "/v1/logs" : pathname}${search}`
  const sent = (headers === undefined ? undefined : headersOf(Redacted.value(headers))) ?? {}
  const postItems = Effect.fnUntraced(function* (items: OutgoingBatch["items"]) {
    const now = yield* Clock.currentTimeMillis
    const body = jsonText({
      resourceLogs: [
        {
          resource: { attributes: [attribute("service.name", "threat-exposure-feed")] },
          scopeLogs: [{ scope: { name: "threat-exposure" }, logRecords: items.map((item) => logRecord(item, now)) }]
        }
      ]
    })
    const request = HttpClientRequest.post(address).pipe(
      HttpClientRequest.bodyText(body, "application/json"),
      HttpClientRequest.setHeaders(sent)
    )
    return yield* post(request)
  })

  /** Splits items that were refused together, until the refused ones are alone, or it seems that none is taken. */
  const sendInParts = Effect.fnUntraced(function* (items: OutgoingBatch["items"]) {
    const parts = halvesOf(items)
    const rejected: Array<Rejected> = []
    let isAnyTaken = false
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const response = yield* postItems(part)
      if (response.status === permanentFailure) {
        if (part.length > 1) parts.push(...halvesOf(part))
        else rejected.push(...part.map((item) => ({ item, reason: `answered ${response.status}` })))
        const isLast = parts.length === 0 || rejected.length === maxRefusedAlone
        if (!isAnyTaken && isLast) return yield* busy(response)
      } else if (response.status >= 300) {
        const { reason, retryAfter } = busy(response)
        const deferred = [...part, ...parts.flat(), ...(isAnyTaken ? [] : rejected.map(({ item }) => item))]
        return {
          rejected: isAnyTaken ? rejected : [],
          deferred,
          reason,
          ...(retryAfter === undefined ? {} : { retryAfter })
        }
      } else {
        yield* refusePage(response)
        isAnyTaken = true
        rejected.push(...partialSuccess(response, part).rejected)
      }
    }
    return { ...deliveredAll, rejected }
  })

  const sink: Sink = {
    name,
    send: Effect.fn("OtlpSink.send")(function* ({ items }) {
      const response = yield* postItems(items)
      if (response.status === permanentFailure && items.length > 1) return yield* sendInParts(items)
      // Collectors also answer 400 to a body that is too large.
      if (response.status >= 300) return yield* refusalOf(response, items)
      yield* refusePage(response)
      return partialSuccess(response, items)
    })
  }
  return sink
})

/**
 * The status of what a collector's pipeline refuses permanently, which OTLP forbids to send again. It concerns the items
 * only if the collector takes others: its set-up may be wrong.
 */
const permanentFailure = 500

/** A collector that refuses this many items alone and takes none is itself at fault. */
const maxRefusedAlone = 3

/** The second half is first, so that the last one is sent first. */
const halvesOf = <A>(items: ReadonlyArray<A>): Array<ReadonlyArray<A>> => {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(middle), items.slice(0, middle)]
}

/**
 * A collector reports the number of rejected records, but not which, and the protocol forbids a retry: all items count
 * as rejected.
 */
const partialSuccess = ({ answer }: Response, items: OutgoingBatch["items"]): Delivery => {
  const partial = member(answer, "partialSuccess")
  const count = Number(member(partial, "rejectedLogRecords") ?? 0)
  if (!(count > 0)) return deliveredAll
  const message = redactText(text(member(partial, "errorMessage")).slice(0, 300))
  const reason = `${count} of ${counted(items.length, "record")} of a request were rejected${message === "" ? "" : `: ${message}`}`
  return { ...deliveredAll, rejected: items.map((item) => ({ item, reason })) }
}

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

const nanoseconds = (milliseconds: number): string => (BigInt(Math.max(0, milliseconds)) * 1_000_000n).toString()

/** In OTLP JSON, 64-bit integers are strings and severities are numbers. */
const logRecord = ({ line, summary, time, uid }: FeedItem, now: number) => {
  const severity = summary?.severity ?? ""
  return {
    timeUnixNano: nanoseconds(time ?? now),
    observedTimeUnixNano: nanoseconds(now),
    severityNumber: severityNumbers[severity] ?? 9,
    ...(severity === "" ? {} : { severityText: severity }),
    body: { stringValue: line },
    attributes: [attribute("event.id", uid), attribute("log.record.uid", uid)]
  }
}

/** The numbers of INFO, INFO2, WARN, ERROR and FATAL. */
const severityNumbers: Readonly<Record<string, number>> = { info: 9, low: 10, medium: 13, high: 17, critical: 21 }

/**
 * Parses `name=value,name=value` as in `OTEL_EXPORTER_OTLP_HEADERS`, with percent-encoded values. Undefined if a part
 * is not a valid header.
 */
export const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = text
    .split(",")
    .filter((pair) => pair.trim() !== "")
    .map((pair) => {
      const at = pair.indexOf("=")
      return [pair.slice(0, Math.max(0, at)).trim(), decodePercent(pair.slice(at + 1).trim())] as const
    })
  return pairs.every(([name, value]) => /^[\w!#$%&'*+\-.^`|~]+$/u.test(name) && isHeaderText(value))
    ? Object.fromEntries(pairs)
    : undefined
}

/** Whether the value contains only characters that all servers interpret alike. */
export const isHeaderText = (value: string): boolean => /^[\t -~]*$/u.test(value)

/** Keeps a value that is not percent-encoded. */
const decodePercent = (value: string): string =>
  value.replaceAll(/(?:%[0-9a-f]{2})+/giu, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())

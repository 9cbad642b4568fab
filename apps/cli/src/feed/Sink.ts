/** The interface of sinks, and the addresses that `--to` accepts. */
import { createHash } from "node:crypto"
import { isLoopback } from "@threat-exposure/core/domain/Loopback"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import type { FeedItem } from "./FeedState.ts"

export interface OutgoingBatch {
  readonly id: string
  readonly items: ReadonlyArray<FeedItem>
  /** Whether an earlier attempt with an unknown outcome may have delivered some items. */
  readonly isRepeat: boolean
}

export interface Rejected {
  readonly item: FeedItem
  readonly reason: string
}

/** The outcome of a batch: the sink has accepted all items that are neither rejected nor deferred. */
export interface Delivery {
  readonly rejected: ReadonlyArray<Rejected>
  /** Items that the sink refused temporarily; only these are sent again. */
  readonly deferred: ReadonlyArray<FeedItem>
  /** Reason for the deferred items. */
  readonly reason: string
  /** Milliseconds to wait before the deferred items are sent again; undefined if the sink does not say. */
  readonly retryAfter?: number
}

export const deliveredAll: Delivery = { rejected: [], deferred: [], reason: "" }

/** The sink could not accept the batch now; the batch need not be at fault. */
export class SinkBusy extends Schema.TaggedError<SinkBusy>()("SinkBusy", {
  reason: Schema.String,
  /** Milliseconds to wait before the next attempt; absent if the sink does not say. */
  retryAfter: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    return this.reason
  }
}

/** The sink accepts nothing more from this process. */
export class SinkClosed extends Schema.TaggedError<SinkClosed>()("SinkClosed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The batch is larger than the sink accepts, or the sink refuses it without saying which items. */
export class BatchTooLarge extends Schema.TaggedError<BatchTooLarge>()("BatchTooLarge", {}) {}

export interface Sink {
  /** The given address without possible secrets. */
  readonly name: string
  /** Whether the sink receives all items of a round at once, as a digest needs. */
  readonly takesRounds?: boolean
  /** A batch may be sent again under the same id. */
  readonly send: (batch: OutgoingBatch) => Effect.Effect<Delivery, SinkBusy | SinkClosed | BatchTooLarge>
}

/** Kinds of sinks whose address is only a URL. */
const urlSinks = ["webhook", "splunk-hec", "otlp", "slack", "teams"] as const
type UrlSink = (typeof urlSinks)[number]

export type SinkAddress =
  | { readonly kind: "stdout"; readonly name: string }
  | { readonly kind: "file" | "misp"; readonly name: string; readonly path: string }
  | { readonly kind: "opensearch"; readonly name: string; readonly url: string; readonly index: string }
  | { readonly kind: UrlSink; readonly name: string; readonly url: string }
  | {
      readonly kind: "syslog"
      readonly name: string
      readonly host: string
      readonly port: number
      readonly isTls: boolean
    }

/** The forms of an address, for the help text and for messages. */
export const sinkForms =
  "-, file:PATH, misp:FOLDER, opensearch:URL/INDEX, webhook:URL, splunk-hec:URL, otlp:URL, slack:URL, teams:URL, syslog:HOST:PORT or syslog-tls:HOST:PORT"

/** Parses an address in one of {@link sinkForms}. */
export const sinkAddress = (given: string): Effect.Effect<SinkAddress, UsageInvalid> => {
  if (given === "-") return Effect.succeed({ kind: "stdout", name: "-" })
  const [, syslog, host = "", port = ""] =
    /^(syslog(?:-tls)?):(\[[0-9a-f:.]+\]|[^\s:[\]@/]+):(\d{1,5})$/iu.exec(given) ?? []
  if (syslog !== undefined) return syslogAddress(given, host.replaceAll(/[[\]]/gu, ""), Number(port))
  const [, kind = "", rest = ""] = /^([a-z-]+):(.+)$/u.exec(given) ?? []
  if (kind === "file" || kind === "misp") return Effect.succeed({ kind, name: given, path: rest })
  const urlSink = urlSinks.find((name) => name === kind)
  if ((urlSink === undefined && kind !== "opensearch") || !URL.canParse(rest))
    return refuseAddress("a value", "is not a sink")
  const url = new URL(rest)
  if (url.username !== "" || url.password !== "") {
    return refuseAddress(
      `${kind}:${url.host}`,
      "contains a user name or password: set them as variables (docs/feed.md)"
    )
  }
  const name = nameOf(kind, url)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    return refuseAddress(name, "must begin with https:// (http:// is allowed for this machine only)")
  }
  if (urlSink !== undefined) return Effect.succeed({ kind: urlSink, name, url: url.href })
  const [, base = "", index = ""] = /^(.*)\/([^/]+)\/?$/u.exec(url.pathname) ?? []
  return /^[a-z0-9][a-z0-9_.-]*$/u.test(index)
    ? Effect.succeed({ kind: "opensearch", name, url: `${url.origin}${base}`, index })
    : refuseAddress(name, "must end in the name of an index: lower-case letters, digits, and - _ .")
}

const syslogAddress = (given: string, host: string, port: number): Effect.Effect<SinkAddress, UsageInvalid> => {
  const isTls = given.startsWith("syslog-tls:")
  if (port < 1 || port > 65_535) return refuseAddress(given, "needs a port from 1 to 65535")
  return isTls || isLoopback(host)
    ? Effect.succeed({ kind: "syslog", name: given, host, port, isTls })
    : refuseAddress(given, "would send in clear: use syslog-tls: (syslog: is allowed for this machine only)")
}

/**
 * Name of a sink in logs, metrics and the state. A digest replaces the path of a webhook and any query, which may
 * contain a token, so that two receivers on one host have different names.
 */
const nameOf = (kind: string, { origin, pathname, search }: URL) => {
  const [shown, hidden] = kind === "opensearch" ? [pathname, search] : ["/", `${pathname.slice(1)}${search}`]
  if (hidden === "") return `${kind}:${origin}${kind === "opensearch" ? shown : ""}`
  return `${kind}:${origin}${shown}…${createHash("sha256").update(hidden).digest("hex").slice(0, 8)}`
}

const refuseAddress = (given: string, why: string) =>
  Effect.fail(
    new UsageInvalid({
      message: `--to: ${given} ${why}; give ${sinkForms}`
    })
  )

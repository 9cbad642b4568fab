/** An event or a credential that the feed found, with the fields that all shapes and sinks use. */
import { createHash } from "node:crypto"
import { isIP } from "node:net"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { revealWithin } from "@threat-exposure/core/domain/Secret"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { credentialRecord, member, overriddenSeverityOf, severityOf, text, titleOf } from "../export/Records.ts"
import { redactEvent, redactJson } from "../redaction/Redaction.ts"

export interface Found {
  readonly uid: string
  /** Milliseconds since 1970; undefined if the service gives no time. */
  readonly time: number | undefined
  /** When the item reached the tenant; undefined if the service does not say. */
  readonly arrived: string | undefined
  readonly kind: "event" | "credential"
  /**
   * The listed item, redacted unless secrets are included. A function, because redacting takes time and only new items
   * need it.
   */
  readonly itemOf: (includeSecrets: boolean) => unknown
  /** The tenant's annotations in a comparable form; empty if there are none. */
  readonly annotations: string
}

/** Undefined for an item without a uid, which cannot be identified. */
export const foundEvent = (item: unknown): Found | undefined => {
  const metadata = member(item, "metadata")
  const uid = text(member(metadata, "uid")).toWellFormed()
  const arrived = text(member(metadata, "materialized_at"))
  return uid === ""
    ? undefined
    : {
        uid,
        time: millisecondsOf(text(member(metadata, "estimated_created_at"))),
        arrived: millisecondsOf(arrived) === undefined ? undefined : arrived,
        kind: "event",
        itemOf: (includeSecrets) => (includeSecrets ? item : redactEvent(item)),
        annotations: annotationsOf(item)
      }
}

export const foundCredential = (credential: Credential): Found => ({
  uid: `credential/${credential.id}`,
  time: millisecondsOf(credential.imported_at),
  arrived: undefined,
  kind: "credential",
  itemOf: (includeSecrets) => credentialRecord(credential, includeSecrets),
  annotations: ""
})

/** Undefined for a year that receivers cannot represent. */
export const millisecondsOf = (time: string): number | undefined =>
  toDateTime(time).pipe(
    Option.map(DateTime.toEpochMillis),
    Option.filter((milliseconds) => milliseconds >= minTime && milliseconds <= maxTime),
    Option.getOrUndefined
  )

const minTime = Date.parse("0001-01-01T00:00:00Z")

/** End of the last full year whose nanoseconds since 1970 fit into 64 bits. */
const maxTime = Date.parse("2261-12-31T23:59:59.999Z")

type Status = "new" | "ignored" | "remediated"

const statusOf = (event: unknown): Status => {
  const tenant = member(event, "tenant_metadata")
  return text(member(tenant, "remediated_at")) ? "remediated" : text(member(tenant, "ignored_at")) ? "ignored" : "new"
}

const annotationNames = ["status", "severity", "tags", "notes"] as const

/** Values in the order of {@link annotationNames}. Tags and notes are free text, so only their digests are stored. */
const annotationsOf = (event: unknown): string => {
  const tenant = member(event, "tenant_metadata")
  const status = statusOf(event)
  const tags = member(tenant, "tags")
  const values = [
    status === "new" ? "" : status,
    overriddenSeverityOf(event),
    digestOf(Array.isArray(tags) ? tags.map(text).toSorted().join("\n") : ""),
    digestOf(text(member(tenant, "notes")))
  ]
  return values.every((value) => value === "") ? "" : JSON.stringify(values)
}

const digestOf = (value: string): string =>
  value === "" ? "" : createHash("sha256").update(value).digest("hex").slice(0, 16)

/** Names of the annotations that differ. */
export const changedAnnotations = (before: string, now: string): ReadonlyArray<string> => {
  const [earlier, later] = [before, now].map((values): unknown => (values === "" ? [] : JSON.parse(values)))
  const valueAt = (values: unknown, at: number) => (Array.isArray(values) ? text(values[at]) : "")
  return annotationNames.filter((_, at) => valueAt(earlier, at) !== valueAt(later, at))
}

/** Whether the tenant has dealt with the event. */
export const isSettled = ({ annotations }: Found): boolean =>
  annotations !== "" && changedAnnotations("", annotations).includes("status")

/** The full content of an event, or the reason why it is missing. */
export type Content =
  | {
      readonly isFull: true
      readonly data: unknown
      /** Length as JSON, in characters. */
      readonly size: number
    }
  | {
      readonly isFull: false
      readonly reason: string
      /** Whether a later attempt cannot succeed either. */
      readonly isFinal: boolean
    }

const Account = Schema.Struct({
  name: Schema.String,
  email: Schema.optionalKey(Schema.String),
  domain: Schema.optionalKey(Schema.String)
})
export type Account = typeof Account.Type

/** The common fields of items of all kinds. */
export const Summary = Schema.Struct({
  type: Schema.String,
  /** Empty if the service gives no severity. */
  severity: Schema.String,
  title: Schema.String,
  status: Schema.Literals(["new", "ignored", "remediated"]),
  link: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String),
  account: Schema.optionalKey(Account),
  /** Tags that the tenant gave to the event. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The tenant's note. */
  note: Schema.optionalKey(Schema.String),
  /** Annotations that changed since the item was last passed on; absent for a new item. */
  changed: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Summary = typeof Summary.Type

/** Labels of the Traffic Light Protocol 2.0, https://www.first.org/tlp. */
export const tlpLabels = ["clear", "green", "amber", "amber+strict", "red"] as const
export type Tlp = (typeof tlpLabels)[number]

/** A version of an item to pass on: the input of every shape. */
export interface Passed {
  readonly uid: string
  readonly kind: Found["kind"]
  /** When the item was created, ISO 8601; `passedAt` if the service does not say. */
  readonly time: string
  /** When the feed first saw this version, ISO 8601. */
  readonly passedAt: string
  /** The received item, with the data of its content if that was read. */
  readonly item: unknown
  /** Undefined unless the feed reads full contents. */
  readonly content: Content | undefined
  readonly summary: Summary
  readonly tlp: Tlp | undefined
}

export interface PassOptions {
  readonly passedAt: string
  /** Name of the metadata field with a link to the event. */
  readonly linkField: string
  readonly includeSecrets: boolean
  readonly tlp: Tlp | undefined
  readonly content?: Content | undefined
  readonly changed?: ReadonlyArray<string> | undefined
}

export const pass = (
  { itemOf, kind, time, uid }: Found,
  { changed, content, includeSecrets, linkField, passedAt, tlp }: PassOptions
): Passed => {
  const listed = itemOf(includeSecrets)
  const data = content?.isFull === true ? (includeSecrets ? revealWithin : redactJson)(content.data) : undefined
  const item = data === undefined || !Predicate.isObject(listed) ? listed : { ...listed, data }
  return {
    uid,
    kind,
    time: time === undefined ? passedAt : new Date(time).toISOString(),
    passedAt,
    item,
    content,
    summary: {
      ...(kind === "credential" ? credentialSummary(item) : eventSummary(uid, item, linkField)),
      ...(changed === undefined ? {} : { changed })
    },
    tlp
  }
}

const credentialSummary = (item: unknown): Summary => {
  const name = text(member(item, "identity_name"))
  return {
    type: "credential",
    severity: "high",
    title: name === "" ? "Leaked credential" : `Leaked credential of ${name}`,
    status: "new",
    ...withoutEmpty({ source: text(member(item, "source_id")) }),
    ...accountIn(name, text(member(item, "domain")))
  }
}

const eventSummary = (uid: string, item: unknown, linkField: string): Summary => {
  const metadata = member(item, "metadata")
  const type = text(member(metadata, "type"))
  const data = member(item, "data")
  const name = text(member(data, "identity_name"))
  const tenant = member(item, "tenant_metadata")
  const tags = member(tenant, "tags")
  const given = (Array.isArray(tags) ? tags.map(text) : []).filter((tag) => tag !== "")
  return {
    type,
    severity: severityOf(item),
    title: titleOf(item),
    status: statusOf(item),
    ...withoutEmpty({
      link: webLink(text(member(metadata, linkField))) ?? "",
      source: uid.split("/")[1] ?? "",
      note: text(member(tenant, "notes"))
    }),
    ...(given.length === 0 ? {} : { tags: given }),
    ...accountIn(name, "")
  }
}

/** The URL in the characters of RFC 3986 if it begins with `https://` or `http://`; undefined for any other text. */
export const webLink = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol)
    ? url.href.replaceAll(/%(?![\da-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/giu, encodeURIComponent)
    : undefined
}

const accountIn = (name: string, domain: string): { readonly account?: Account } =>
  name === "" ? {} : { account: { name, ...withoutEmpty({ email: name.includes("@") ? name : "", domain }) } }

/** Only the members with a non-empty value. */
const withoutEmpty = <Name extends string>(members: { readonly [name in Name]: string }): {
  readonly [name in Name]?: string
} => {
  const found: { [name in Name]?: string } = {}
  for (const name in members) if (members[name] !== "") found[name] = members[name]
  return found
}

/** The text in an event's data that describes it; undefined if the data has none. */
export const descriptionOf = ({ item }: Passed): string | undefined => {
  const data = member(item, "data")
  const found = ["content", "description", "body", "term"]
    .map((name) => text(member(data, name)))
    .find((value) => value !== "")
  return found === undefined ? undefined : found.slice(0, maxDescription)
}

const maxDescription = 10_000

/** Users, hosts and addresses in an event's data, for the fields that correlation rules use. */
export const entitiesOf = ({ item, summary }: Passed) => {
  const data = member(item, "data")
  const victim = member(data, "victim_information")
  const distinct = (...values: ReadonlyArray<unknown>) => [...new Set(values.map(text).filter((value) => value !== ""))]
  return {
    users: distinct(summary.account?.name, member(data, "username"), member(victim, "username")),
    hosts: distinct(member(data, "hostname"), member(data, "domain"), member(victim, "domain")),
    addresses: distinct(member(data, "ip_address"), member(victim, "ip_address")).filter((value) => isIP(value) !== 0)
  }
}

/** E-mail addresses that the types of OCSF and STIX accept. */
export const emailAddress = /^[\w!#$%&'*+\-/=?^`{|}~.]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/iu

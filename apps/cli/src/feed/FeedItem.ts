/** An event or a credential as a line of the feed. */
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { credentialRecord, member, text } from "../export/Records.ts"
import { redactedEvent } from "../redaction/Redaction.ts"

export const shapes = ["native", "ecs", "ocsf"] as const
export type Shape = (typeof shapes)[number]

/** An item that the feed found, before it is formatted as a line. */
export interface Found {
  readonly uid: string
  /** Milliseconds since 1970; undefined where the service gives none. */
  readonly time: number | undefined
  readonly kind: "event" | "credential"
  /** The item of the listing, redacted unless secrets are included. Redacting takes time: only what is new needs it. */
  readonly itemOf: (includeSecrets: boolean) => unknown
}

/** Undefined for an item without a uid, which cannot be distinguished from others. */
export const foundEvent = (item: unknown): Found | undefined => {
  const metadata = member(item, "metadata")
  const uid = text(member(metadata, "uid"))
  return uid === ""
    ? undefined
    : {
        uid,
        time: millisecondsOf(text(member(metadata, "estimated_created_at"))),
        kind: "event",
        itemOf: (includeSecrets) => (includeSecrets ? item : redactedEvent(item))
      }
}

export const foundCredential = (credential: Credential): Found => ({
  uid: `credential/${credential.id}`,
  time: millisecondsOf(credential.imported_at),
  kind: "credential",
  itemOf: (includeSecrets) => credentialRecord(credential, includeSecrets)
})

const millisecondsOf = (time: string): number | undefined =>
  Option.getOrUndefined(Option.map(toDateTime(time), DateTime.toEpochMillis))

export interface ShapeOptions {
  readonly shape: Shape
  /** When the feed first saw it, ISO 8601. */
  readonly firstSeen: string
  /** The field of an event's metadata that links to it. */
  readonly linkField: string
  readonly includeSecrets: boolean
}

/** The input of every shape. */
interface Shaped extends Omit<Found, "itemOf"> {
  readonly item: unknown
}

/** The line of an item, without a line break. */
export const lineOf = ({ itemOf, ...found }: Found, options: ShapeOptions): string =>
  JSON.stringify(shapers[options.shape]({ ...found, item: itemOf(options.includeSecrets) }, options))

const native = ({ item, kind, uid }: Shaped, { firstSeen }: ShapeOptions) => ({
  uid,
  first_seen_by_feed: firstSeen,
  [kind]: item
})

interface Summary {
  readonly type: string
  /** Empty if the service gives none. */
  readonly severity: string
  readonly title: string
  readonly link: string | undefined
  readonly source: string | undefined
  readonly time: string
  /** The account of a credential. */
  readonly account: Account | undefined
  readonly status: "new" | "ignored" | "remediated"
}

interface Account {
  readonly name: string
  readonly email: string | undefined
  readonly domain: string | undefined
}

const summaryOf = ({ item, kind, time, uid }: Shaped, { firstSeen, linkField }: ShapeOptions): Summary => {
  const at = time === undefined ? firstSeen : new Date(time).toISOString()
  if (kind === "credential") {
    const name = text(member(item, "identity_name"))
    return {
      type: "credential",
      severity: "high",
      title: `Leaked credential of ${name}`,
      link: undefined,
      source: text(member(item, "source_id")) || undefined,
      time: at,
      status: "new",
      account: {
        name,
        email: name.includes("@") ? name : undefined,
        domain: text(member(item, "domain")) || undefined
      }
    }
  }
  const metadata = member(item, "metadata")
  const type = text(member(metadata, "type"))
  const tenant = member(item, "tenant_metadata")
  const override = text(member(member(tenant, "severity"), "override"))
  return {
    type,
    severity: override || text(member(metadata, "severity")),
    title: text(member(metadata, "title")) || `Event of type ${type}`,
    link: text(member(metadata, linkField)) || undefined,
    source: uid.split("/")[1],
    time: at,
    status: text(member(tenant, "remediated_at"))
      ? "remediated"
      : text(member(tenant, "ignored_at"))
        ? "ignored"
        : "new",
    account: undefined
  }
}

/** Elastic Common Schema 8, https://www.elastic.co/docs/reference/ecs. */
const ecs = (found: Shaped, options: ShapeOptions) => {
  const { account, link, severity, source, time, title, type } = summaryOf(found, options)
  const severityNumber = ecsSeverity[severity]
  return {
    "@timestamp": time,
    ecs: { version: "8.17.0" },
    message: title,
    event: {
      id: found.uid,
      kind: "alert",
      category: ["threat"],
      type: ["indicator"],
      module: "threat_exposure",
      dataset: `threat_exposure.${found.kind}`,
      created: options.firstSeen,
      ...(severityNumber === undefined ? {} : { severity: severityNumber }),
      ...(link === undefined ? {} : { url: link }),
      ...(source === undefined ? {} : { provider: source })
    },
    labels: { severity, type },
    ...(account === undefined ? {} : { user: account, related: { user: [account.name] } }),
    threat_exposure: { [found.kind]: found.item }
  }
}

/** As rules of Elastic Security number them. */
const ecsSeverity: Readonly<Record<string, number>> = { info: 1, low: 21, medium: 47, high: 73, critical: 99 }

/** Open Cybersecurity Schema Framework 1.5, class Detection Finding, https://schema.ocsf.io/1.5.0/classes/detection_finding. */
const ocsf = (found: Shaped, options: ShapeOptions) => {
  const { account, link, severity, source, status, time, title, type } = summaryOf(found, options)
  const [statusId, statusCaption] = ocsfStatus[status]
  const milliseconds = Date.parse(time)
  const [severityId, caption] = ocsfSeverity[severity] ?? (severity === "" ? [0, "Unknown"] : [99, severity])
  return {
    category_uid: 2,
    category_name: "Findings",
    class_uid: 2004,
    class_name: "Detection Finding",
    activity_id: 1,
    activity_name: "Create",
    type_uid: 200401,
    type_name: "Detection Finding: Create",
    severity_id: severityId,
    severity: caption,
    status_id: statusId,
    status: statusCaption,
    is_alert: true,
    time: milliseconds,
    message: title,
    metadata: {
      version: "1.5.0",
      uid: found.uid,
      logged_time: Date.parse(options.firstSeen),
      product: { name: "Threat Exposure", vendor_name: "Threat Exposure" }
    },
    finding_info: {
      uid: found.uid,
      title,
      types: [type],
      created_time: milliseconds,
      first_seen_time: milliseconds,
      ...(link === undefined ? {} : { src_url: link }),
      ...(source === undefined ? {} : { data_sources: [source] })
    },
    ...(account === undefined
      ? {}
      : {
          evidences: [
            {
              user: {
                name: account.name,
                email_addr: account.email !== undefined && emailAddress.test(account.email) ? account.email : undefined,
                domain: account.domain
              }
            }
          ]
        }),
    unmapped: { [found.kind]: found.item }
  }
}

/** What the type `email_t` accepts. Names with other characters or hosts without a dot stay in the name alone. */
const emailAddress = /^[\w!#$%&'*+\-/=?^`{|}~.]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/iu

const ocsfStatus = {
  new: [1, "New"],
  ignored: [3, "Suppressed"],
  remediated: [4, "Resolved"]
} as const

const ocsfSeverity: Readonly<Record<string, readonly [id: number, caption: string]>> = {
  info: [1, "Informational"],
  low: [2, "Low"],
  medium: [3, "Medium"],
  high: [4, "High"],
  critical: [5, "Critical"]
}

const shapers = { native, ecs, ocsf }

/** The severity in the line of an item, in any shape; empty if it has none. */
export const severityOf = (line: string): string => {
  const item: unknown = JSON.parse(line)
  for (const path of [
    ["event", "tenant_metadata", "severity", "override"],
    ["event", "metadata", "severity"],
    ["labels", "severity"]
  ]) {
    const found = path.reduce(member, item)
    if (typeof found === "string" && found !== "") return found
  }
  const named = member(item, "severity")
  return typeof named === "string" ? named.toLowerCase() : member(item, "credential") === undefined ? "" : "high"
}

/** An event or a credential as a line of the feed. */
import { createHash } from "node:crypto"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { credentialRecord, member, text } from "../export/Records.ts"
import { redacted, redactedEvent } from "../redaction/Redaction.ts"

export const shapes = ["native", "ecs", "ocsf", "stix"] as const
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

/** The addresses that the type `email_t` accepts. Any other account name stays in `name` alone. */
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

/**
 * A bundle of STIX 2.1. Ids are the same in every run, so that a platform updates what it already has. An account is
 * identified by its name and its leaked credential: platforms keep the last of two accounts with one id.
 */
const stix = (found: Shaped, options: ShapeOptions) => {
  const { account, link, severity, source, time, title, type } = summaryOf(found, options)
  const common = { spec_version: "2.1", created: time, modified: time, created_by_ref: stixIdentity.id }
  const incident = {
    type: "incident",
    id: stixId("incident", found.uid),
    ...common,
    name: title,
    labels: [type, severity].filter((label) => label !== ""),
    external_references: [
      { source_name: source ?? "threat-exposure", external_id: found.uid, ...(link === undefined ? {} : { url: link }) }
    ]
  }
  const observables = account === undefined ? [] : stixObservables(found, account)
  const observed = {
    type: "observed-data",
    id: stixId("observed-data", found.uid),
    ...common,
    first_observed: time,
    last_observed: time,
    number_observed: 1,
    object_refs: observables.map(({ id }) => id)
  }
  const relationship = {
    type: "relationship",
    id: stixId("relationship", found.uid),
    ...common,
    relationship_type: "related-to",
    source_ref: incident.id,
    target_ref: observed.id
  }
  const content = [incident, ...(observables.length === 0 ? [] : [...observables, observed, relationship])]
  const grouping = {
    type: "grouping",
    id: stixId("grouping", found.uid),
    ...common,
    name: title,
    context: "suspicious-activity",
    object_refs: content.map(({ id }) => id)
  }
  return { type: "bundle", id: stixId("bundle", found.uid), objects: [stixIdentity, ...content, grouping] }
}

const stixObservables = ({ item, uid }: Shaped, { email, name }: Account) => {
  const secret = text(member(item, "hash"))
  const known = secret === "" || secret === redacted ? undefined : secret
  const leaked = text(member(item, "credential_hash")) || text(member(item, "known_password_id")) || uid
  return [
    {
      type: "user-account",
      spec_version: "2.1",
      id: stixId("user-account", JSON.stringify({ account_login: name, credential: leaked })),
      account_login: name,
      ...(known === undefined ? {} : { credential: known })
    },
    ...(email !== undefined && emailAddress.test(email)
      ? [
          {
            type: "email-addr",
            spec_version: "2.1",
            id: stixId("email-addr", JSON.stringify({ value: email })),
            value: email
          }
        ]
      : [])
  ]
}

/** The namespace of the specification for the ids of observables. */
const stixNamespace = Buffer.from("00abedb4aa42466c9c01fed23315a9b7", "hex")

/** A UUID of version 5, after the type. */
const stixId = (type: string, name: string): string => {
  const named = stixNamedByContent.has(type) ? name : `${type} ${name}`
  const bytes = createHash("sha1").update(stixNamespace).update(named).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `${type}--${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-")}`
}

/** Types whose ids other programs compute from the content alone. */
const stixNamedByContent: ReadonlySet<string> = new Set(["email-addr", "user-account"])

const stixIdentity = {
  type: "identity",
  spec_version: "2.1",
  id: stixId("identity", "Threat Exposure"),
  created: "2026-01-01T00:00:00.000Z",
  modified: "2026-01-01T00:00:00.000Z",
  name: "Threat Exposure",
  identity_class: "system"
}

const shapers = { native, ecs, ocsf, stix }

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

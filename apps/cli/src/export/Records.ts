/** Converts a credential or an event into a record of a file. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { toUtc } from "@threat-exposure/core/domain/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type { CsvValue } from "../output/Csv.ts"
import { redacted, redactText } from "../redaction/Redaction.ts"

export const credentialColumns = (includeSecrets: boolean): ReadonlyArray<string> => [
  "id",
  "identity_name",
  "domain",
  "source_id",
  "imported_at",
  ...(includeSecrets ? ["hash"] : []),
  "hash_type",
  "source",
  "known_password_id",
  "credential_hash",
  "event_uid",
  "auth_domains",
  "urls"
]

/** The record has the shape of docs/api.md#credential. */
export const credentialRecord = (credential: Credential, includeSecrets: boolean): unknown => ({
  ...credential,
  ...(includeSecrets || credential.urls === undefined ? {} : { urls: credential.urls.map(redactText) }),
  hash: credential.hash === null ? null : includeSecrets ? Redacted.value(credential.hash) : redacted
})

export const credentialRow = (record: unknown, includeSecrets: boolean): ReadonlyArray<CsvValue> =>
  credentialColumns(includeSecrets).map((name) => {
    const value = member(record, name)
    if (name === "imported_at") return toUtc(text(value))
    if (name === "source") return text(member(value, "id"))
    return Array.isArray(value) ? value.map(text) : text(value)
  })

export const eventColumns = [
  "uid",
  "type",
  "severity",
  "estimated_created_at",
  "matched_at",
  "source",
  "title",
  "url",
  "identifiers"
]

export const eventRow = (event: unknown, linkField: string): ReadonlyArray<CsvValue> => {
  const metadata = member(event, "metadata")
  const uid = text(member(metadata, "uid"))
  const identifiers = member(event, "identifiers")
  return [
    uid,
    text(member(metadata, "type")),
    severityOf(event),
    toUtc(text(member(metadata, "estimated_created_at"))),
    toUtc(text(member(metadata, "matched_at"))),
    uid.split("/")[1],
    text(member(metadata, "title")),
    text(member(metadata, linkField)),
    Array.isArray(identifiers) ? identifiers.map((identifier) => text(member(identifier, "id"))) : []
  ]
}

/** The title of the event, or else the name of its content. */
export const titleOf = (event: unknown): string => {
  const metadata = member(event, "metadata")
  const data = member(event, "data")
  const named = [text(member(metadata, "title")), ...namingMembers.map((name) => text(member(data, name)))]
  const type = text(member(event, "event_type")) || text(member(metadata, "type"))
  return named.find((name) => name !== "") ?? (type === "" ? "Event" : `Event of type ${type}`)
}

const namingMembers = ["title", "name", "identity_name", "url"]

/** The severity that the tenant set, or else the event's own; empty if there is none. */
export const severityOf = (event: unknown): string =>
  overriddenSeverityOf(event) || text(member(member(event, "metadata"), "severity"))

/** The severity that the tenant set; empty if there is none. */
export const overriddenSeverityOf = (event: unknown): string =>
  text(member(member(member(event, "tenant_metadata"), "severity"), "override"))

export const member = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

export const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : ""

/** Converts search results for a report: masks, truncates, dates and rates them. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Event } from "@threat-exposure/core/domain/Event"
import { isAtLeast, severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Option } from "effect"
import type { Mask } from "./Mask.ts"
import type { CredentialEvidence, EventEvidence } from "../Report.ts"
import type { Settings } from "../Settings.ts"
import type { Target } from "../target/Target.ts"

/** Inputs for evidence other than the search results. */
export interface EvidenceContext {
  readonly settings: Settings
  /** The organisation's own domains. */
  readonly domains: ReadonlyArray<string>
  readonly mask: Mask
}

/**
 * The severity of a credential, which the API does not provide. A searched value with an account of one of our domains
 * is `critical`, with any other account `high`. An account of a searched domain is `medium` if its password leaked too,
 * otherwise `low`.
 */
const severityOfCredential = (credential: Credential, target: Target, domains: ReadonlyArray<string>): Severity => {
  if (target._tag === "Domain") return credential.hash === null ? "low" : "medium"
  const host = (credential.domain ?? credential.identity_name.split("@").at(-1) ?? "").toLowerCase()
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`)) ? "critical" : "high"
}

export const credentialEvidence = (
  credential: Credential,
  target: Target,
  { domains, mask, settings }: EvidenceContext
): CredentialEvidence => ({
  account: mask.account(credential.identity_name),
  severity: severityOfCredential(credential, target, domains),
  importedAt: moment(credential.imported_at),
  source:
    credential.source === null
      ? null
      : {
          name: textOf(credential.source.name, mask),
          description: textOf(credential.source.description_en, mask),
          breachedAt: moment(credential.source.breached_at),
          leakedAt: moment(credential.source.leaked_at),
          url: mask.link(credential.source.url)
        },
  usedAt: (credential.auth_domains ?? []).slice(0, maxHosts).map((host) => mask.text(host, 253)),
  counts: target._tag === "Value" || isSince(credential.imported_at, settings)
})

export const eventEvidence = (event: Event, target: Target, { mask, settings }: EvidenceContext): EventEvidence => {
  const { metadata, tenant_metadata } = event
  // The tenant's own severity takes precedence.
  const severity = rankable(tenant_metadata.severity?.override ?? metadata.severity)
  return {
    uid: mask.identifier(metadata.uid),
    type: mask.text(metadata.type, 60),
    severity,
    estimatedCreatedAt: moment(metadata.estimated_created_at),
    matchedAt: moment(metadata.matched_at),
    title: textOf(metadata.title, mask),
    link: mask.link(metadata.svc_url),
    highlights: Object.entries(event.highlights)
      .flatMap(([field, texts]) => texts.map((text) => ({ field, text })))
      .slice(0, maxHighlights)
      .map(({ field, text }) => ({
        field: mask.text(field, 60),
        text: mask.excerpt(text, target._tag === "Value")
      })),
    counts:
      isAtLeast(severity, settings.minSeverity) &&
      (target._tag === "Value" || isSince(metadata.estimated_created_at, settings))
  }
}

/** All dates, earliest first. */
export const datesOf = (
  credentials: ReadonlyArray<CredentialEvidence>,
  events: ReadonlyArray<EventEvidence>
): ReadonlyArray<string> =>
  [
    ...credentials.flatMap(({ importedAt, source }) => [importedAt, source?.breachedAt, source?.leakedAt]),
    ...events.map(({ estimatedCreatedAt }) => estimatedCreatedAt)
  ]
    .filter((date) => date != null)
    .toSorted((a, b) => (toSortable(a) < toSortable(b) ? -1 : 1))

const maxHosts = 5
const maxHighlights = 5

const textOf = (text: string | null | undefined, mask: Mask) => {
  const clean = text == null ? "" : mask.text(text)
  return clean === "" ? null : clean
}

/** The date as the service wrote it; null if it is not a date. */
const moment = (text: string | null | undefined) => (text != null && Option.isSome(toDateTime(text)) ? text : null)

/** An invalid date counts as recent. */
const isSince = (text: string | null, { since }: Settings) =>
  Option.match(toDateTime(text ?? ""), {
    onNone: () => true,
    onSome: (date) => DateTime.isGreaterThanOrEqualTo(date, since)
  })

/** An unknown severity counts as the highest. */
const rankable = (severity: string): Severity => severities.find((known) => known === severity) ?? "critical"

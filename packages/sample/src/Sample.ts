/** Data about a fictitious company. Deterministic for a given `today`, to which all dates are relative. */
import type { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import type { NewMatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import type { NewMonitoredData } from "@threat-exposure/core/domain/MonitoredIdentifier"
import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { NewReport } from "@threat-exposure/core/domain/Report"
import * as DateTime from "effect/DateTime"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { TriageAction } from "@threat-exposure/core/domain/Triage"
import { SampleDates } from "./SampleDates.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { azureTenant, cardBin, company, companyDomain, repository, serverAddress } from "./SampleNames.ts"
import { sampleCredentials, type WireCredential } from "./SampleCredentials.ts"
import { type SampleEvent, sampleEvents } from "./SampleEvents.ts"
import { leakedSecrets } from "./LeakedSecrets.ts"

export interface Sample {
  readonly credentials: ReadonlyArray<WireCredential>
  readonly events: ReadonlyArray<SampleEvent>
  readonly tenant: SampleTenant
}

export interface SampleTenant {
  readonly identifiers: ReadonlyArray<typeof NewIdentifier.Encoded>
  /** Further identifiers, in the form in which v4 creates them. */
  readonly monitored: ReadonlyArray<SampleIdentifier>
  readonly group: { readonly name: string; readonly urn: string }
  /** The policies, at least one of each type. */
  readonly policies: readonly [SamplePolicy, ...ReadonlyArray<SamplePolicy>]
  readonly report: NewReport
  readonly recommendations: ReadonlyArray<Recommendation>
  readonly annotations: ReadonlyArray<SampleAnnotation>
}

export interface SampleAnnotation {
  readonly uid: string
  /** ISO 8601. */
  readonly annotatedAt: string
  readonly triage: Triage
}

interface Triage {
  readonly annotation: {
    readonly tags: ReadonlyArray<string>
    readonly notes?: string
    readonly severity?: Severity
  }
  /** The action that follows. */
  readonly action?: TriageAction
}

export interface SampleIdentifier {
  readonly name: string
  readonly data: typeof NewMonitoredData.Encoded
  readonly isDisabled: boolean
}

export interface SamplePolicy {
  readonly uuid: string
  readonly policy: NewMatchingPolicy
  readonly identifiers: ReadonlyArray<string>
}

export const sampleOf = (today: DateTime.Utc): Sample => {
  const dates = new SampleDates(DateTime.startOf(today, "day"))
  const events = sampleEvents(dates)
  return {
    credentials: sampleCredentials(dates, events),
    events,
    tenant: {
      identifiers,
      monitored,
      group: { name: "Subsidiaries", urn: "urn:threat-exposure:sample:subsidiaries" },
      policies,
      report: {
        title: "Quarterly review",
        author: "Example Corporation Security",
        elements: [{ id: 1, position: 1, enabled: true, sort_by: "custom", time_interval: "P90D" }],
        audience: "technical"
      },
      recommendations: recommendations(dates),
      annotations: annotations(dates, events)
    }
  }
}

const identifiers: Sample["tenant"]["identifiers"] = [
  { name: companyDomain, type: "domain", data: { type: "domain", fqdn: companyDomain } },
  { name: company, type: "keyword", data: {} },
  { name: "greta.holloway@example.com", type: "email", data: {} },
  {
    name: `${repository.owner}/${repository.name}`,
    type: "github_repository",
    data: { repo_owner: repository.owner, repo_name: repository.name }
  },
  { name: serverAddress, type: "ip", data: {} },
  { name: cardBin, type: "bin", search_types: ["financial_data"], data: {} },
  { name: "saltmarsh", type: "username", data: {} },
  { name: "Tamar Nightingale", type: "name", data: { first_name: "Tamar", last_name: "Nightingale", is_strict: true } },
  { name: "Azure tenant", type: "azure_tenant", data: { tenant_id: azureTenant } },
  {
    name: "Access for sale",
    type: "search_query",
    data: { query_string: '"initial access" AND (vpn OR citrix) NOT type:paste' }
  },
  { name: leakedSecrets.databasePassword.value, type: "secret", data: {} }
]

const monitored: Sample["tenant"]["monitored"] = [
  {
    name: "Iberia",
    data: { type: "domain", fqdn: "iberia.example.com" },
    isDisabled: false
  },
  {
    name: "Former brand",
    data: { type: "keyword", keyword: "Example Outfitters" },
    isDisabled: true
  }
]

const policies: Sample["tenant"]["policies"] = [
  {
    uuid: "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10",
    policy: {
      name: "Shop and payments only",
      type: "INCLUDED_KEYWORDS",
      value: { keywords: ["checkout", "payments", "shop", "card"] }
    },
    identifiers: [company]
  },
  {
    uuid: "0c4a2f37-9d3b-4b0e-9a52-2b8c7a1e5d21",
    policy: { name: "No press", type: "EXCLUDED_KEYWORDS", value: { keywords: ["press release"] } },
    identifiers: ["Former brand"]
  },
  {
    uuid: "7b1e6c58-41af-4f6d-8c0e-1f5a9d3b6e32",
    policy: { name: "Severe only", type: "LUCENE_QUERY", value: { query: "severity:high OR severity:critical" } },
    identifiers: ["Iberia"]
  },
  {
    uuid: "e2d95b7c-6a18-4c3f-b7d4-8e0f2c6a9b43",
    policy: {
      name: "Accounts and logins",
      type: "ASTP_DOMAIN",
      value: { match_mode: "auth_domain_and_email_domain" }
    },
    identifiers: [companyDomain]
  },
  {
    uuid: "a8f3d06e-2b7c-4d91-95e6-3c4b1f7d8e54",
    policy: {
      name: "Session cookies",
      type: "ASTP_COOKIES",
      value: { cookie_names: ["session"], match_subdomains: true }
    },
    identifiers: []
  }
]

const recommendations = (dates: SampleDates): ReadonlyArray<Recommendation> => {
  const random = new SeededRandom(31)
  const suggested: ReadonlyArray<readonly [data: Recommendation["data"], status: string, relevancy: string]> = [
    [{ type: "domain", fqdn: "shop.example.com" }, "recommended", "HIGH"],
    [{ type: "domain", fqdn: "example.org" }, "recommended", "HIGH"],
    [{ type: "domain", fqdn: "iberia.example.com" }, "accepted", "MEDIUM"],
    [{ type: "domain", fqdn: "examp1e.example.net" }, "rejected", "LOW"],
    [{ type: "azure_tenant", tenant_id: azureTenant }, "accepted", "HIGH"],
    [{ type: "email", email: "adela.quist@example.com" }, "recommended", "HIGH"],
    [{ type: "email", email: "press@example.com" }, "rejected", "LOW"],
    [{ type: "username", username: "gholloway" }, "recommended", "MEDIUM"],
    [{ type: "username", username: "examplecorp_support" }, "recommended", "LOW"]
  ]
  return suggested.map(([data, status, relevancy], index) => ({
    id: 901 + index,
    data,
    status,
    updated_at: dates.before(3 + index * 4, random),
    relevancy
  }))
}

const triages: readonly [Triage, ...ReadonlyArray<Triage>] = [
  { annotation: { tags: ["triage"], notes: "Asked the owner of the account to confirm." } },
  { annotation: { tags: ["password-reset"], notes: "Password changed and sessions ended." }, action: "remediate" },
  {
    annotation: { tags: ["duplicate", "false-positive"], notes: "Same dump as last year.", severity: "info" },
    action: "ignore"
  },
  { annotation: { tags: ["triage", "vip"], severity: "critical" } }
]

/** Annotations of every seventh event about the company: triaged, remediated or ignored. */
const annotations = (dates: SampleDates, events: ReadonlyArray<SampleEvent>): ReadonlyArray<SampleAnnotation> => {
  const random = new SeededRandom(47)
  return events
    .filter((event) => JSON.stringify(event.data).includes(companyDomain))
    .filter((_, index) => index % 7 === 3)
    .map(({ metadata: { uid } }, index) => ({
      uid,
      annotatedAt: dates.before(random.fraction() / 10, random),
      triage: triages[index % triages.length] ?? triages[0]
    }))
}

/** Sample responses in encoded form, with every specified field. Pass the fields that matter to a test. */
import type { AssignedPolicy, MatchingPolicy, PolicyAssignment } from "../src/domain/MatchingPolicy.ts"
import type { Credential, CredentialPage } from "../src/domain/Credential.ts"
import type { Event, IdentifierEvent } from "../src/domain/Event.ts"
import type { Identifier } from "../src/domain/Identifier.ts"
import type { IdentifierGroup } from "../src/domain/IdentifierGroup.ts"
import type { Recommendation } from "../src/domain/Recommendation.ts"
import type { KnownEvent, KnownEventType } from "../src/domain/TypedEvent.ts"

type Wire<S extends { readonly Encoded: unknown }> = S["Encoded"]

export const credential = (given: Partial<Wire<typeof Credential>> = {}): Wire<typeof Credential> => ({
  id: 1,
  identity_name: "jane.doe@example.com",
  domain: "example.com",
  source_id: "example-breach",
  imported_at: "2026-01-02T03:04:05.678901Z",
  hash: "correct horse battery staple",
  hash_type: "unknown",
  source: {
    id: "example-breach",
    name: "Example breach",
    description_en: "An invented breach",
    description_fr: "Une fuite inventée",
    breached_at: "2025-06-01T00:00:00",
    leaked_at: "2025-07-01T00:00:00+00:00",
    is_alert_enabled: true,
    pii_tags: ["email", "password"],
    url: "https://breach.example.com"
  },
  known_password_id: 7,
  credential_hash: "0123456789abcdef",
  event_uid: "leak/example-breach/1",
  auth_domains: ["login.example.com"],
  urls: ["https://login.example.com/session"],
  ...given
})

/** A page of credentials with consecutive ids from `first` on. */
export const credentialPage = (count: number, next: string | null = null, first = 1): Wire<typeof CredentialPage> => ({
  items: Array.from({ length: count }, (_, index) => credential({ id: first + index })),
  next
})

export const event = (given: Partial<Wire<typeof Event>["metadata"]> = {}): Wire<typeof Event> => ({
  metadata: {
    estimated_created_at: "2026-01-02T03:04:05.678901",
    matched_at: "2026-01-03T00:00:00Z",
    type: "paste",
    uid: "paste/example/1",
    severity: "medium",
    ...given
  },
  tenant_metadata: {
    severity: { original: "medium", override: "high" },
    tags: ["triage"],
    notes: "Seen by the team"
  },
  highlights: { title: ["A <mark>match</mark>"] }
})

export const identifierEvent = (given: Partial<Wire<typeof Event>["metadata"]> = {}): Wire<typeof IdentifierEvent> => ({
  ...event(given),
  identifiers: [{ id: 12, name: "example.com" }]
})

export const identifier = (given: Partial<Wire<typeof Identifier>> = {}): Wire<typeof Identifier> => ({
  type: "domain",
  search_types: ["leak", "paste"],
  name: "example.com",
  data: { type: "domain", fqdn: "example.com" },
  id: 12,
  tenant_id: 3,
  feed_id: 4,
  experimental_search_types: [],
  v3_refs: { asset_uuid: "6f1c2c52-6d0d-4f1c-9f0a-0f6f6f0a1b2c" },
  risks: [1],
  fetching_progress: 100,
  count: 5,
  urn: "urn:asset:12",
  is_disabled: false,
  source: "USER",
  data_updated_at: "2026-01-02T03:04:05Z",
  ...given
})

export const identifierGroup = (given: Partial<Wire<typeof IdentifierGroup>> = {}): Wire<typeof IdentifierGroup> => ({
  id: 21,
  tenant_id: 3,
  feed_id: 4,
  feed_owner_id: 5,
  name: "Domains",
  urn: "urn:group:21",
  ...given
})

export const recommendation = (given: Partial<Wire<typeof Recommendation>> = {}): Wire<typeof Recommendation> => ({
  id: 31,
  data: { type: "domain", fqdn: "shop.example.com" },
  status: "recommended",
  updated_at: "2026-01-02T03:04:05Z",
  relevancy: "HIGH",
  ...given
})

export const matchingPolicy = (given: Partial<Wire<typeof MatchingPolicy>> = {}): Wire<typeof MatchingPolicy> => ({
  uuid: "0b7e9f0e-3a51-4c57-8f6f-2d1f0a7c9b10",
  name: "Only our products",
  policy_type: "INCLUDED_KEYWORDS",
  value: { keywords: ["example"] },
  created_at: "2026-01-02T03:04:05Z",
  last_updated_at: "2026-01-02T03:04:05Z",
  ...given
})

export const policyAssignment = (
  given: Partial<Wire<typeof PolicyAssignment>> = {}
): Wire<typeof PolicyAssignment> => ({
  identifier_id: 12,
  identifier_name: "example.com",
  clean_past_events: false,
  assigned_at: "2026-01-02T03:04:05Z",
  ...given
})

export const assignedPolicy = (given: Partial<Wire<typeof AssignedPolicy>> = {}): Wire<typeof AssignedPolicy> => ({
  matching_policy: matchingPolicy(),
  assigned_at: "2026-01-02T03:04:05Z",
  clean_past_events: false,
  ...given
})

type KnownEventOnWire = Wire<typeof KnownEvent>
type DataOf<Type extends KnownEventType> = Extract<KnownEventOnWire, { readonly event_type: Type }>["data"]

const actor = { id: "actor-1", name: "shade" }
const source = { id: "example-breach", name: "Example breach" }
const bucket = { host: "files.example.com", provider: "example" }

const creditCard = {
  bank: "Example Bank",
  bin: "400000",
  brand: "EXAMPLE",
  country: "CA",
  expiration: "12/29",
  owner: "Jane Doe",
  state_code: "QC",
  zip: "H0H 0H0",
  has_cvv: true,
  has_date_of_birth: false,
  has_mother_maiden_name: null,
  has_phone: true,
  has_pin: null,
  has_ssn: false,
  has_track_1: null,
  has_vbv: null
}

const lookalike = {
  domain: "examp1e.com",
  registered_at: "2026-01-01T00:00:00Z",
  identifier_domains: ["example.com"],
  feed: null,
  cert_data: null,
  subject: null,
  issuer: "Example CA"
}

const ransomleak = {
  url: "https://blog.example.net/1",
  response_url: "https://blog.example.net/1/final",
  title: "Example Ltd",
  content: "An announcement",
  body: "<p>An announcement</p>",
  victim_information: {
    name: "example",
    display_name: "Example Ltd",
    domain: "example.com",
    alternative_domains: ["example.org"],
    industry: "Retail",
    employee_count: 120,
    city: "Montreal",
    state: "QC",
    country: "CA",
    latitude: 45.5,
    longitude: -73.6
  }
}

const integration = {
  identity_name: "jane.doe@example.com",
  credential_hash: "0123456789abcdef",
  tenant_integration_id: "7d9a4b38-6f0e-4a7c-8c8e-0d6f5c8a4e11"
}

/** The data of every event type, under each of its names, with every field in docs/api.md#typed-events. */
export const eventData: { readonly [Type in KnownEventType]: DataOf<Type> } = {
  blog_post: {
    url: "https://blog.example.net/2",
    content: "A post",
    description: "About a leak",
    posted_at: "2026-01-02T03:04:05Z"
  },
  bot: {
    name: "bot-1",
    url: "https://market.example.net/bot-1",
    actor: { id: "actor-1" },
    victim_information: {
      country_code: "CAN",
      location: "Montreal",
      isp: "Example ISP",
      installed_at: "2026-01-01T00:00:00Z",
      os: "Example OS 11"
    },
    price: "12.50",
    currency: "USD"
  },
  bucket: { url: "https://files.example.com/", bucket },
  bucket_object: { url: "https://files.example.com/a.csv", bucket },
  chat_message: {
    posted_at: "2026-01-02T03:04:05Z",
    actor,
    context: { conversation_id: "c-1", conversation_name: "Combos" },
    content: "fresh list",
    parent_context: { parent_uid: "chat/example/0", parent_type: "chat_message" },
    forward_info: {
      forwarded_from: "Another channel",
      forwarded_from_author_id: "a-1",
      forwarded_from_chat_id: -1_001_234_567_890,
      forwarded_from_conversation_id: "c-0",
      forwarded_from_user_id: 42,
      forwarded_from_username: "shade",
      forwarded_message_time: "2026-01-01T00:00:00Z"
    },
    was_forwarded: true
  },
  cc: creditCard,
  credit_card: creditCard,
  docker_image: {
    content: "FROM scratch",
    digest: "sha256:0123",
    architecture: "amd64",
    os: "linux",
    last_pushed_at: "2026-01-02T03:04:05Z",
    last_pulled_at: "2026-01-02T03:04:05Z",
    tags: [{ name: "latest", repository_name: "example/app" }]
  },
  docker_repository: {
    url: "https://hub.example.net/example/app",
    star_count: 1,
    pull_count: 2,
    collaborator_count: 3,
    last_updated_at: "2026-01-02T03:04:05Z",
    last_modified_at: "2026-01-02T03:04:05Z",
    registered_at: "2026-01-02T03:04:05Z"
  },
  forum_post: {
    actor,
    context: { category_name: "Leaks", topic_id: "t-1", topic_title: "example.com" },
    posted_at: "2026-01-02T03:04:05Z",
    content: "for sale",
    url: "https://forum.example.net/t-1"
  },
  invalid_credential: integration,
  valid_credential: integration,
  mitigated_credential: { ...integration, mitigation_action: "password_reset" },
  leak: {
    term: "example.com",
    site_url: "https://breach.example.com",
    leaked_at: "2026-01-02T03:04:05Z",
    breached_at: "2025-12-01T00:00:00Z",
    leaked_credential_count: 120,
    pii_tags: ["email"],
    source
  },
  leaked_credential: {
    identity_name: "jane.doe@example.com",
    imported_at: "2026-01-02T03:04:05Z",
    password: "correct horse battery staple",
    source
  },
  listing: {
    url: "https://market.example.net/1",
    title: "Accounts",
    content: "example.com accounts",
    currency: "USD",
    escrow: true,
    price: 12.5,
    ship_to: ["CA"],
    ship_from: ["US"],
    stock_count: 3,
    actor,
    classification: {
      classes: {
        is_carding: false,
        is_bypass: false,
        is_ident_fraud: false,
        is_doc_fraud: false,
        is_phishing: true,
        is_money_xfer: false,
        is_cashout: false,
        is_virt_currency: false,
        is_hacking: true,
        is_misc_financial: false
      },
      types: { is_guide: false, is_service: true, is_software: false, is_hardware: false, is_data: true }
    },
    context: { category_name: "Accounts" }
  },
  lookalike,
  lookalike_domain: lookalike,
  paste: {
    url: "https://paste.example.net/1",
    title: "dump",
    content: "jane.doe@example.com",
    actor,
    expires_at: "2026-02-02T03:04:05Z",
    syntax: "text"
  },
  ransomleak,
  ransom_leak: ransomleak,
  service: {
    url: "https://192.0.2.1:8443",
    asn: "AS64496",
    content: "HTTP/1.1 200 OK",
    service: "https",
    product: "example-httpd",
    port: 8443,
    ip_address: "192.0.2.1",
    organization: "Example Ltd",
    hostname: "www.example.com",
    country_code: "CA",
    vulnerabilities: ["CVE-2000-0001"]
  },
  social_media_account: { url: "https://social.example.net/jane", site: "social.example.net", username: "jane" },
  stealer_log: {
    victim_information: {
      ip_address: "198.51.100.7",
      ip_network: "198.51.100.0/24",
      username: "jane",
      country_code: "CA",
      zip_code: "H0H 0H0",
      location: "Montreal",
      hwid: "0123-4567",
      current_language: "fr-CA",
      screensize_width: 1920,
      screensize_height: 1080,
      timezone: "UTC-5",
      os: "Example OS 11",
      uac: "AllowAll",
      process_elevation: false,
      available_keyboards: ["fr-CA"],
      hardware: ["CPU"],
      anti_viruses: ["Example AV"]
    },
    malware_information: {
      malware_family: "example",
      build_id: "b-1",
      file_location: "C:\\\\example.exe",
      infected_at: "2026-01-01T00:00:00Z"
    }
  }
}

const metadata = {
  estimated_created_at: "2026-01-02T03:04:05.678901Z",
  svc_url: "https://app.example.com/events/1",
  matched_at: "2026-01-03T00:00:00Z",
  severity: "high",
  uid: "paste/example/1"
}

/** A typed event with any `event_type` and any `data`, which services may send regardless of the types. */
export const typedEvent = <Data>(event_type: string, data: Data, given: { readonly [key: string]: unknown } = {}) => ({
  event_type,
  metadata: { ...metadata, ...given },
  data
})

export const typedEvents = Object.entries(eventData).map(([event_type, data]) => typedEvent(event_type, data))

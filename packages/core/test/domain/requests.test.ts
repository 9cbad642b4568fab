/** Every rule of docs/api.md has a request that follows it and one that violates it. */
import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import {
  EventSearch,
  globalEventTypes,
  identifierEventTypes,
  IdentifierEventSearch
} from "@threat-exposure/core/domain/Event"
import { identifierTypes, NewIdentifier, searchTypes } from "@threat-exposure/core/domain/Identifier"
import { NewIdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import { IntelQuestion } from "@threat-exposure/core/domain/Intel"
import { AssignPolicy, PolicyAssignmentList } from "@threat-exposure/core/domain/MatchingPolicy"
import { RecommendationList } from "@threat-exposure/core/domain/Recommendation"
import { NewReport } from "@threat-exposure/core/domain/Report"
import { AddUsers } from "@threat-exposure/core/domain/Tenant"

type Request = Schema.Codec<unknown, unknown>

const faultOf = (schema: Request, body: unknown): string | undefined => {
  const exit = Schema.decodeUnknownExit(schema)(body, { errors: "all" })
  return Exit.isFailure(exit) ? String(exit.cause) : undefined
}

const rules = (
  name: string,
  schema: Request,
  base: object,
  kept: ReadonlyArray<object>,
  broken: ReadonlyArray<readonly [at: string, body: object]>
) =>
  describe(name, () => {
    it("accepts what docs/api.md allows", () => {
      for (const body of [{}, ...kept]) assert.isUndefined(faultOf(schema, { ...base, ...body }), JSON.stringify(body))
    })
    for (const [at, body] of broken) {
      it(`refuses ${JSON.stringify(body)}`, () => {
        const fault = faultOf(schema, { ...base, ...body })
        assert.isDefined(fault)
        assert.include(fault, at)
      })
    }
  })

const time = "2026-01-02T03:04:05"

rules(
  "credentials global search",
  CredentialSearch,
  { query: { type: "email", email: "a@example.com" } },
  [
    { query: { type: "domain", fqdn: "example.com" } },
    { query: { type: "auth_domain", fqdn: "example.com" } },
    { query: { type: "secret", secret: "s" } },
    { query: { type: "keyword", keyword: "k" } },
    { size: 1 },
    { size: 10_000 },
    { from: null },
    { from: "cursor" },
    { order: "asc" },
    { order: "desc" },
    { include: [] },
    { include: ["known_password_id", "auth_domains", "urls"] },
    { filters: {} },
    { filters: { imported_at: {} } },
    { filters: { imported_at: { gte: null, lte: null } } },
    ...[time, `${time}Z`, `${time}.123456Z`, `${time}+00:00`, `${time}-0500`].map((gte) => ({
      filters: { imported_at: { gte } }
    }))
  ],
  [
    ["query", { query: undefined }],
    ["query", { query: {} }],
    ["query", { query: { type: "username", username: "a" } }],
    ["fqdn", { query: { type: "domain" } }],
    ["fqdn", { query: { type: "auth_domain", fqdn: 1 } }],
    ["secret", { query: { type: "secret", email: "a" } }],
    ["email", { query: { type: "email", email: null } }],
    ["keyword", { query: { type: "keyword" } }],
    ["size", { size: 0 }],
    ["size", { size: 10_001 }],
    ["size", { size: 1.5 }],
    ["size", { size: "10" }],
    ["from", { from: 5 }],
    ["order", { order: "up" }],
    ["include", { include: ["passwords"] }],
    ["include", { include: "urls" }],
    ["imported_at", { filters: { imported_at: { gte: "yesterday" } } }],
    ["imported_at", { filters: { imported_at: { lte: "2026-02-30T00:00:00Z" } } }],
    ["imported_at", { filters: { imported_at: { lte: "2026-01-01T24:01:00Z" } } }],
    ["imported_at", { filters: { imported_at: { gte: 1_700_000_000 } } }]
  ]
)

const eventQueries = [
  { type: "domain", fqdn: "example.com" },
  { type: "email", email: "a@example.com" },
  { type: "keyword", keyword: "k" },
  { type: "query_string", query_string: "a AND b" },
  { type: "username", username: "u" },
  { type: "github_repository", repo_owner: "o", repo_name: "r" },
  { type: "brand", name: "b" },
  { type: "name", first_name: "f", last_name: "l", is_strict: true },
  { type: "bin", bin: "400000" },
  { type: "ip", ip: "192.0.2.1" },
  { type: "credentials", username: "u", password: "p" },
  { type: "secret", secret: "s" },
  { type: "azure_tenant", tenant_id: "t" }
]

const withoutEach = ({ type, ...fields }: (typeof eventQueries)[number]) =>
  Object.keys(fields)
    .filter((field) => field !== "is_strict")
    .map((missing) => {
      const rest = Object.fromEntries(Object.entries(fields).filter(([field]) => field !== missing))
      return [missing, { query: { type, ...rest } }] as const
    })

const eventRules = [
  ["query", { query: { type: "auth_domain", fqdn: "example.com" } }],
  ["is_strict", { query: { type: "name", first_name: "f", last_name: "l", is_strict: "yes" } }],
  ["size", { size: 0 }],
  ["size", { size: 11 }],
  ["from", { from: 1 }],
  ["order", { order: "newest" }],
  ["severity", { filters: { severity: "urgent" } }],
  ["severity", { filters: { severity: ["low", "urgent"] } }],
  ["type", { filters: { type: "paste" } }],
  ["type", { filters: { type: [5] } }],
  ["estimated_created_at", { filters: { estimated_created_at: { gt: "soon" } } }],
  ["estimated_created_at", { filters: { estimated_created_at: { gte: "2026-13-01" } } }],
  ["estimated_created_at", { filters: { estimated_created_at: { lt: null } } }],
  ["estimated_created_at", { filters: { estimated_created_at: { lte: 5 } } }],
  ...eventQueries.flatMap(withoutEach)
] as const

const eventsKept = [
  ...eventQueries.map((query) => ({ query })),
  { size: 1 },
  { size: 10 },
  { from: "cursor" },
  { order: "asc" },
  { filters: { severity: "low" } },
  { filters: { severity: ["info", "critical"] } },
  { filters: { estimated_created_at: { gt: time, gte: "2026-01-01", lt: `${time}Z`, lte: `${time}.1+01:00` } } }
]

rules(
  "events global search",
  EventSearch,
  {},
  // Services support more types than the specification lists.
  [...eventsKept, { filters: { type: [...globalEventTypes, "leaked_credential", "hologram"] } }],
  eventRules
)

rules(
  "events of one identifier",
  IdentifierEventSearch,
  {},
  [
    ...eventsKept,
    {
      filters: {
        type: [...identifierEventTypes, "leaked_credential", "hologram"],
        tags: ["a"],
        status: ["open", "ignored", "remediated"],
        is_ignored: true,
        is_remediated: false
      }
    }
  ],
  [
    ...eventRules,
    ["tags", { filters: { tags: "a" } }],
    ["status", { filters: { status: ["closed"] } }],
    ["status", { filters: { status: "open" } }],
    ["is_ignored", { filters: { is_ignored: "true" } }],
    ["is_remediated", { filters: { is_remediated: 1 } }]
  ]
)

rules(
  "create identifier",
  NewIdentifier,
  { name: "a" },
  [
    ...identifierTypes.map((type) => ({ type })),
    { search_types: searchTypes, data: { fqdn: "example.com" }, experimental_search_types: ["x"], risks: [1] }
  ],
  [
    ["name", { name: undefined }],
    ["name", { name: "" }],
    ["name", { name: 5 }],
    ["type", { type: "host" }],
    ["search_types", { search_types: ["everything"] }],
    ["data", { data: "x" }],
    ["experimental_search_types", { experimental_search_types: [1] }],
    ["risks", { risks: ["high"] }],
    ["risks", { risks: [0.5] }]
  ]
)

rules(
  "create identifier group",
  NewIdentifierGroup,
  {},
  [{ id: 1, tenant_id: 2, feed_id: 3, feed_owner_id: 4, name: "n", urn: "u" }],
  [
    ...["id", "tenant_id", "feed_id", "feed_owner_id"].map((field) => [field, { [field]: "1" }] as const),
    ["name", { name: 1 }],
    ["urn", { urn: 1 }]
  ]
)

rules(
  "create report",
  NewReport,
  {},
  [
    {
      title: "t",
      author: "a",
      elements: [{ id: 1, position: 0, enabled: true, sort_by: "custom", time_interval: "30d" }],
      audience: "technical"
    }
  ],
  [
    ["title", { title: 1 }],
    ["author", { author: 1 }],
    ["audience", { audience: 1 }],
    ["elements", { elements: {} }],
    ["id", { elements: [{ id: "1" }] }],
    ["position", { elements: [{ position: 0.5 }] }],
    ["enabled", { elements: [{ enabled: "yes" }] }],
    ["sort_by", { elements: [{ sort_by: 1 }] }],
    ["time_interval", { elements: [{ time_interval: 1 }] }]
  ]
)

rules(
  "assign matching policy",
  AssignPolicy,
  { identifier_ids: [1] },
  [{ identifier_ids: [] }, { clean_past_events: true }],
  [
    ["identifier_ids", { identifier_ids: undefined }],
    ["identifier_ids", { identifier_ids: ["1"] }],
    ["identifier_ids", { identifier_ids: [1.5] }],
    ["clean_past_events", { clean_past_events: "no" }]
  ]
)

rules(
  "list policy assignments",
  PolicyAssignmentList,
  {},
  [{ order: "asc" }, { size: "1" }, { size: "100" }, { from: "cursor" }],
  [
    ["order", { order: "up" }],
    ["size", { size: "0" }],
    ["size", { size: "101" }],
    ["size", { size: "1e1" }]
  ]
)

rules(
  "list identifier recommendations",
  RecommendationList,
  {},
  [
    { types: ["domain", "azure_tenant", "email", "username"] },
    { status: "recommended" },
    { status: "accepted" },
    { status: "rejected" },
    { size: "100" }
  ],
  [
    ["types", { types: ["ip"] }],
    ["status", { status: "open" }],
    ["size", { size: "0" }],
    ["size", { size: "101" }],
    ["size", { size: "1e1" }]
  ]
)

rules(
  "create tenant membership",
  AddUsers,
  { users: [{ user_id: 1, is_readonly: true, role: "viewer" }] },
  [{ users: [] }],
  [
    ["users", { users: undefined }],
    ["users", { users: {} }],
    ["user_id", { users: [{ role: "viewer" }] }],
    ["user_id", { users: [{ user_id: "1" }] }],
    ["is_readonly", { users: [{ user_id: 1, is_readonly: "no" }] }],
    ["role", { users: [{ user_id: 1, role: 1 }] }]
  ]
)

rules(
  "create intel request",
  IntelQuestion,
  { question: "Who sells our data?" },
  [{ tone: "analytical" }],
  [
    ["question", { question: undefined }],
    ["question", { question: 1 }],
    ["tone", { tone: 1 }]
  ]
)

/** An answer lists every fault of a request, including those that only the store or the query language detects. */
import { assert, it } from "@effect/vitest"
import { type Endpoint, listOperations } from "@threat-exposure/core/api/Endpoints"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

/** A valid request of an operation, and invalid values, each with its location. */
interface FaultyRequest {
  readonly request: Request
  readonly faults: ReadonlyArray<Fault>
}

/** Some values cause faults at further locations. */
type Fault = readonly [place: string, value: unknown, ...further: ReadonlyArray<string>]

interface Request {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

const long = "a".repeat(257)
const cursor = "not a cursor"
const size = ["query.size", "0"] as const
const from = ["query.from", cursor] as const
const order = ["query.order", "up"] as const
const badName = { type: "name", first_name: "a", last_name: "b" }
const identifier = {
  data: { type: "search_query", search_query: "a" },
  categories: [],
  emerging_categories: [],
  severities: []
}

const eventSearch = (filters: FaultyRequest["faults"]): FaultyRequest["faults"] => [
  ["body.size", 11],
  ["body.from", cursor],
  ["body.order", "up"],
  ["body.query.first_name", long],
  ["body.query.last_name", long],
  ["body.query.last_name", 5],
  ["body.query", { type: "query_string", query_string: "a AND" }],
  ["body.query", { type: "other" }],
  ["body.filters.severity", "worst"],
  ["body.filters.estimated_created_at.gt", "yesterday"],
  ["body.filters.estimated_created_at.lte", "2026-13-01"],
  ["body.filters.type.0", "unknown"],
  ["body.filters.type.1", 5],
  ...filters
]

const ofTenant: FaultyRequest["faults"] = [
  ["body.filters.materialized_at.gte", "x"],
  ["body.filters.status.0", "closed"],
  ["body.filters.tags", "a"],
  ["body.filters.is_ignored", "yes"]
]

const policyFaults: FaultyRequest["faults"] = [
  ["body.name", ""],
  ["body.value.keywords.0", "!!"],
  ["body.value.keywords.1", "-"],
  ["body.value.keywords.1", 5]
]

const contentFaults: FaultyRequest["faults"] = [
  ["body.name", ""],
  ["body.group_id", 77],
  ["body.severities.0", "worst"],
  ["body.categories", "paste"],
  ["body.data.search_query", "a AND"],
  ["body.data", { type: "keyword", keyword: long }],
  [
    "body.data",
    { type: "identity", attributes: [{ type: "name", first_name: long, last_name: 5 }] },
    "body.data.attributes.0.first_name",
    "body.data.attributes.0.last_name"
  ]
]

const makeRequests = (policy: string, id: number): Readonly<Record<string, FaultyRequest>> => ({
  "credentials.search": {
    request: {
      body: { query: { type: "email", email: "a@example.com" }, filters: { imported_at: {} }, include: ["urls"] }
    },
    faults: [
      ["body.size", 0],
      ["body.from", cursor],
      ["body.order", "up"],
      ["body.query.email", 5],
      ["body.filters.imported_at.gte", "x"],
      ["body.include.0", "all"]
    ]
  },
  "credentials.ofTenant": { request: { query: {} }, faults: [size, from, ["query.order_type", "up"]] },
  "credentials.act": {
    request: { body: { targets: [{ credential_hash: "a" }], action: { type: "ignore" } } },
    faults: [
      ["body.targets.0.credential_hash", 5],
      ["body.action.type", "keep"],
      ["body.targets", [{}, ...Array.from({ length: 100 }, () => ({ credential_hash: "a" }))], "body.targets.0"]
    ]
  },
  "events.search": { request: { body: { query: badName, filters: { type: ["paste"] } } }, faults: eventSearch([]) },
  "events.ofIdentifier": {
    request: { path: { identifier_id: id }, body: { query: badName, filters: { type: ["paste"], status: [] } } },
    faults: eventSearch([
      ["path.identifier_id", "x"],
      ["body.filters.status.0", "closed"]
    ])
  },
  "events.ofTenant": {
    request: { body: { query: badName, filters: { type: ["paste"], status: [] } } },
    faults: eventSearch(ofTenant)
  },
  "events.ofGroup": {
    request: { path: { group_id: 1 }, body: { query: badName, filters: { type: ["paste"], status: [] } } },
    faults: eventSearch([["path.group_id", "x"], ...ofTenant])
  },
  "events.get": { request: { query: {} }, faults: [["query.uid", ""]] },
  "events.expand": {
    request: { query: { uid: "a", field: "cookies" } },
    faults: [["query.uid", ""], ["query.field", "x"], size, from]
  },
  "events.types": { request: {}, faults: [] },
  "events.severities": { request: {}, faults: [] },
  "events.act": {
    request: { body: { targets: [{ uid: "a" }], action: { type: "ignore" } } },
    faults: [
      ["body.targets.0.uid", 5],
      ["body.action.type", "keep"],
      ["body.targets", []]
    ]
  },
  "events.annotate": {
    request: { query: { uid: "a" }, body: { tags: ["a"] } },
    faults: [
      ["query.uid", ""],
      ["body.tags.0", "a".repeat(101)],
      ["body.tags.1", 5],
      ["body.tags", [5, ...Array.from({ length: 50 }, String)], "body.tags.0"],
      ["body.severity", "worst"],
      ["body.notes", "a".repeat(10_001)]
    ]
  },
  "identifiers.createV2": {
    request: { body: { name: "a", type: "search_query", search_types: [], risks: [] } },
    faults: [
      ["body.name", "a AND"],
      ["body.search_types.0", "x"],
      ["body.data", 5],
      ["body.risks.0", "x"]
    ]
  },
  "identifiers.list": {
    request: { query: {} },
    faults: [
      size,
      from,
      ["query.order_by", "x"],
      ["query.is_disabled", "x"],
      ["query.group_id", "x"],
      ["query.authorization_status", "x"]
    ]
  },
  "identifiers.get": { request: { path: { identifier_id: id } }, faults: [["path.identifier_id", "x"]] },
  "identifiers.create": { request: { body: identifier }, faults: contentFaults },
  "identifiers.update": {
    request: { path: { identifier_id: id }, body: identifier },
    faults: [["path.identifier_id", "x"], ["body.is_disabled", "x"], ...contentFaults]
  },
  "identifiers.delete": { request: { path: { identifier_id: id } }, faults: [["path.identifier_id", "x"]] },
  "identifierGroups.create": {
    request: { body: {} },
    faults: [
      ["body.id", "x"],
      ["body.name", 5],
      ["body.urn", 5]
    ]
  },
  "identifierGroups.list": { request: {}, faults: [] },
  "identifierGroups.get": { request: { path: { group_id: 1 } }, faults: [["path.group_id", "x"]] },
  "identifierGroups.update": {
    request: { path: { group_id: 1 }, body: {} },
    faults: [
      ["path.group_id", "x"],
      ["body.name", 5],
      ["body.urn", 5]
    ]
  },
  "identifierGroups.delete": { request: { path: { group_id: 1 } }, faults: [["path.group_id", "x"]] },
  "recommendations.list": {
    request: { query: {} },
    faults: [size, from, ["query.types", "x"], ["query.status", "x"]]
  },
  "recommendations.act": {
    request: { body: { targets: [{ id: 1 }], action: { type: "accept" } } },
    faults: [
      ["body.targets.0.id", "x"],
      ["body.action.type", "keep"]
    ]
  },
  "matchingPolicies.assign": {
    request: { path: { policy_uuid: policy }, body: { identifier_ids: [id] } },
    faults: [
      ["body.identifier_ids.0", "x"],
      ["body.clean_past_events", "x"]
    ]
  },
  "matchingPolicies.assignments": { request: { path: { policy_uuid: policy } }, faults: [size, from, order] },
  "matchingPolicies.ofIdentifier": {
    request: { path: { identifier_id: id } },
    faults: [["path.identifier_id", "x"]]
  },
  "matchingPolicies.delete": { request: { path: { policy_uuid: "x" } }, faults: [] },
  "matchingPolicies.list": { request: { query: {} }, faults: [size, from, order] },
  "matchingPolicies.create": {
    request: { body: { name: "a", type: "INCLUDED_KEYWORDS", value: { keywords: ["a", "b"] } } },
    faults: [
      ...policyFaults,
      ["body.value", 5],
      ["body", { name: "", type: "x", value: 5 }, "body.name", "body.type", "body.value"],
      ["body", { name: "", type: "LUCENE_QUERY", value: { query: "(" } }, "body.name", "body.value.query"]
    ]
  },
  "matchingPolicies.get": { request: { path: { policy_uuid: policy } }, faults: [] },
  "matchingPolicies.update": {
    request: { path: { policy_uuid: policy }, body: { name: "a", value: { keywords: ["a", "b"] } } },
    faults: [...policyFaults, ["body.value.keywords", 5], ["body.value", 5]]
  },
  "matchingPolicies.unassign": {
    request: { path: { policy_uuid: policy }, body: { identifier_ids: [id] } },
    faults: [
      ["body.identifier_ids.0", "x"],
      ["body.clean_past_events", "x"]
    ]
  },
  "reports.create": {
    request: { body: { elements: [{}] } },
    faults: [
      ["body.title", 5],
      ["body.elements.0.id", "x"],
      ["body.elements.0.enabled", "x"]
    ]
  },
  "reports.list": {
    request: { query: {} },
    faults: [size, from, ["query.order_type", "up"], ["query.order_by", "x"], ["query.include_archived", "x"]]
  },
  "reports.get": { request: { path: { report_id: "1" } }, faults: [] },
  "reports.download": { request: { path: { report_id: "1" }, query: {} }, faults: [["query.format", "docx"]] },
  "tenants.addUsers": {
    request: { path: { tenant_id: 1 }, body: { users: [{ user_id: 1 }] } },
    faults: [
      ["path.tenant_id", "x"],
      ["body.users.0.user_id", "x"],
      ["body.users.0.is_readonly", "x"]
    ]
  },
  "tenants.mine": { request: {}, faults: [] },
  "tenants.users": { request: { path: { tenant_id: 1 } }, faults: [["path.tenant_id", "x"]] },
  "tenants.removeUser": {
    request: { path: { tenant_id: 1, user_id: 1 } },
    faults: [
      ["path.tenant_id", "x"],
      ["path.user_id", "x"]
    ]
  },
  "intel.ask": {
    request: { body: { question: "a" } },
    faults: [
      ["body.question", 5],
      ["body.tone", 5]
    ]
  },
  "intel.get": { request: { path: { request_id: "1" } }, faults: [] }
})

it.live("names every fault of a request in one answer, for every operation", () =>
  Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    const policy = { name: "a", type: "INCLUDED_KEYWORDS", value: { keywords: ["a"] } }
    const { uuid } = (yield* call(1, "POST", "/v4/matching-policies", policy)).body
    const { id } = (yield* call(1, "POST", "/v4/identifiers/", identifier)).body
    const requests = makeRequests(uuid, id)
    for (const { endpoint, operation } of listOperations()) {
      const { faults, request } = requests[operation] ?? assert.fail(operation)
      for (const together of groupByPlace(faults)) {
        const faulty = together.reduce((changed, [place, value]) => set(changed, place, value), request)
        const { body, status } = yield* call(1, endpoint.method, pathOf(endpoint, faulty), faulty.body)
        const wanted = together.flatMap(([place, , ...further]) => [place, further].flat())
        // The faults of a wrong discriminator, and of the field of a query, are located inside the invalid value.
        const named: ReadonlyArray<string> = body.detail.map(({ loc }: { loc: ReadonlyArray<unknown> }) =>
          loc.join(".")
        )
        const unnamed = wanted.filter((place) => !named.some((each) => `${each}.`.startsWith(`${place}.`)))
        assert.deepStrictEqual([operation, status, unnamed], [operation, 422, []], named.join(" "))
      }
    }
  }).pipe(Effect.provide(ServiceForTest.layer))
)

/** Groups of faults in which no fault is inside the value of another. */
const groupByPlace = (faults: ReadonlyArray<Fault>): ReadonlyArray<ReadonlyArray<Fault>> => {
  const groups: Array<Array<Fault>> = []
  for (const fault of faults) {
    const isApart = ([place]: Fault) =>
      !`${place}.`.startsWith(`${fault[0]}.`) && !`${fault[0]}.`.startsWith(`${place}.`)
    const group = groups.find((each) => each.every(isApart))
    if (group === undefined) groups.push([fault])
    else group.push(fault)
  }
  return groups
}

const pathOf = ({ path }: Endpoint, request: Request): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) query.append(name, String(value))
  return `${path.replaceAll(/:(\w+)/gu, (_, name: string) => String(request.path?.[name]))}?${query}`
}

/** A copy of the value with another value at a location such as `body.targets.0.uid`. */
const set = <A>(value: A, place: string, at: unknown): A => {
  const copy: any = structuredClone(value)
  const keys = place.split(".")
  let parent = copy
  for (const key of keys.slice(0, -1)) parent = parent[key] ??= {}
  parent[keys.at(-1) ?? ""] = at
  return copy
}

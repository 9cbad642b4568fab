/** Thousands of random and mutated requests to every operation: none gets a 5xx, an answer of no known shape, or no answer. */
import { Agent, request } from "node:http"
import { assert, it } from "@effect/vitest"
import { listOperations } from "@threat-exposure/core/api/Endpoints"
import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { onWire } from "@threat-exposure/core/testing/Arbitraries"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, beforeAll } from "vitest"
import { Arbitrary, Effect } from "effect"
import * as fc from "fast-check"

const isLong = process.env["LONG_PROPERTIES"] === "true"
/** A write to OpenSearch takes some 30 ms until it can be found. */
const requests = { SQLite: isLong ? 5_000 : 1_400, OpenSearch: 500 }
const describeFuzz = isLong ? describeOnEngines : describeOnSqlite
const atOnce = 20
/** Milliseconds for one answer, on however busy a machine. */
const hangsAfter = 600_000

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const unknownUuid = "7d0a3c52-6f0e-4c1b-9d3a-2b1f4e5a6c7d"
const policies = Array.from({ length: 40 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`)
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "example.com",
    "jane@example.com",
    "hunter2",
    "%",
    "'",
    '"',
    "*",
    "\u0000",
    "\ud800",
    "a".repeat(5_000)
  ),
  fc.constantFrom(
    "jane AND (doe OR",
    'content:"a b"*',
    "NOT",
    "((((((((",
    "a* b:c -d",
    '"',
    "type:",
    "NEAR(a b)",
    "^a",
    "{a b}:c"
  )
)
const timestamp = fc.oneof(
  fc.constantFrom(
    "2026-01-01T00:00:00Z",
    "2026-01-01",
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59.999999999+23:59",
    "0000-01-01T00:00:00Z"
  ),
  text
)
const severity = fc.constantFrom("info", "low", "medium", "high", "critical")
const order = fc.constantFrom("asc", "desc")
const optional = <A>(fields: { [K in keyof A]: fc.Arbitrary<A[K]> }) => fc.record(fields, { requiredKeys: [] })

const credentialQuery = fc.oneof(
  fc.record({ type: fc.constantFrom("domain", "auth_domain"), fqdn: text }),
  fc.record({ type: fc.constant("secret"), secret: text }),
  fc.record({ type: fc.constant("email"), email: text }),
  fc.record({ type: fc.constant("keyword"), keyword: text })
)
const eventQuery = fc.oneof(
  fc.record({ type: fc.constant("domain"), fqdn: text }),
  ...["email", "keyword", "query_string", "query_string", "username", "bin", "ip", "secret"].map((type) =>
    fc.record({ type: fc.constant(type), [type]: text })
  ),
  fc.record({ type: fc.constant("github_repository"), repo_owner: text, repo_name: text }),
  fc.record({ type: fc.constant("brand"), name: text }),
  fc.record({ type: fc.constant("name"), first_name: text, last_name: text, is_strict: fc.boolean() }),
  fc.record({ type: fc.constant("credentials"), username: text, password: text }),
  fc.record({ type: fc.constant("azure_tenant"), tenant_id: text })
)
const eventFilters = optional({
  severity: fc.oneof(severity, fc.array(severity)),
  type: fc.array(fc.constantFrom("leak", "paste", "bot", "google", "stealer_log", "nonsense")),
  estimated_created_at: optional({ gt: timestamp, gte: timestamp, lt: timestamp, lte: timestamp }),
  tags: fc.array(text),
  status: fc.array(fc.constantFrom("open", "ignored", "remediated", "nonsense")),
  is_ignored: fc.boolean(),
  is_remediated: fc.boolean()
})
const number = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 10 }) },
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, 10_000, 10_001, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 1e308)
)

const events = optional({
  query: eventQuery,
  size: number,
  from: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, text),
  order,
  filters: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, eventFilters)
})
const uid = fc.oneof({ weight: 4, arbitrary: fc.constant("leak/fuzz/1") }, text)
const action = fc.record({ type: fc.constantFrom("ignore", "unignore", "remediate", "unremediate") })

const oddSegment = fc.oneof(
  fc.constantFrom("0", "-1", "1.5", "1e3", "99999999999999999999", "NaN", unknownUuid, "", "..", "%00", "%ff"),
  text.map((segment) => encodeURIComponent(segment.toWellFormed()).slice(0, 500))
)
const upTo = (max: number) => fc.integer({ min: 1, max }).map(String)
/** Ids that are there, most of them until a request deletes them. */
const ids: Readonly<Record<string, fc.Arbitrary<string>>> = {
  policy_uuid: fc.constantFrom(...policies),
  identifier_id: upTo(12),
  group_id: upTo(10),
  report_id: fc.constant("1"),
  tenant_id: fc.constant("1"),
  user_id: upTo(5)
}
const segment = (name: string) => fc.oneof({ weight: 9, arbitrary: ids[name] ?? oddSegment }, oddSegment)
const encoded = (pairs: ReadonlyArray<readonly [string, unknown]>) =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(String(part).toWellFormed())).join("=")).join("&")

const query = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .array(
      fc.oneof(
        ...Object.entries(fields).map(([name, value]) => value.map((value) => [name, value] as const)),
        fc.tuple(text, text)
      ),
      { maxLength: 4 }
    )
    .map(encoded)

/** Bodies whose texts matter; those of other operations are made from their schemas. */
const bodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "credentials.search": fc.record(
    {
      query: credentialQuery,
      filters: optional({ imported_at: optional({ gte: timestamp, lte: timestamp }) }),
      from: fc.oneof(fc.constant(null), text),
      size: number,
      include: fc.array(fc.constantFrom("known_password_id", "auth_domains", "urls")),
      order
    },
    { requiredKeys: ["query"] }
  ),
  "events.search": events,
  "events.ofIdentifier": events,
  "events.ofTenant": events,
  "events.ofGroup": events,
  "events.act": fc.record({ targets: fc.array(fc.record({ uid }), { minLength: 1, maxLength: 3 }), action }),
  "events.annotate": optional({
    tags: fc.uniqueArray(fc.oneof(fc.constantFrom("a", "b"), text), { maxLength: 2 }),
    severity,
    notes: text
  }),
  "credentials.act": fc.record({
    targets: fc.array(fc.record({ credential_hash: fc.oneof(fc.constant("fuzz"), text) }), {
      minLength: 1,
      maxLength: 2
    }),
    action
  }),
  "identifiers.createV2": fc.record(
    {
      name: text,
      type: fc.constantFrom(...identifierTypes),
      data: fc.dictionary(text, fc.jsonValue()),
      search_types: fc.array(fc.constantFrom("leak", "paste", "google", "nonsense")),
      experimental_search_types: fc.array(text),
      risks: fc.array(fc.integer())
    },
    { requiredKeys: ["name"] }
  ),
  "identifierGroups.create": optional({ id: number, tenant_id: number, feed_id: number, name: text, urn: text }),
  "recommendations.act": fc.record({
    targets: fc.array(
      fc.record({ id: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 901, max: 909 }) }, number) }),
      {
        minLength: 1,
        maxLength: 2
      }
    ),
    action: fc.record({ type: fc.constantFrom("accept", "reject") })
  }),
  "matchingPolicies.assign": fc.record({
    identifier_ids: fc.array(number, { maxLength: 2 }),
    clean_past_events: fc.boolean()
  }),
  "matchingPolicies.update": fc.record({
    name: text,
    value: fc.record({ keywords: fc.array(text, { minLength: 1, maxLength: 2 }) })
  }),
  "matchingPolicies.unassign": fc.record({ identifier_ids: fc.array(number, { maxLength: 2 }) }),
  "reports.create": optional({
    title: text,
    author: text,
    audience: text,
    elements: fc.array(
      optional({ id: number, position: number, enabled: fc.boolean(), sort_by: text, time_interval: text })
    )
  }),
  "tenants.addUsers": fc.record({
    users: fc.array(optional({ user_id: number, is_readonly: fc.boolean(), role: text }))
  }),
  "intel.ask": fc.record({ question: text, tone: text })
}

/** The parameters of queries by name; others have any text. */
const parameters: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  size: number,
  order,
  order_type: order,
  order_by: fc.constantFrom("id", "name", "type", "title", "created_at"),
  uid,
  field: fc.constantFrom("credentials", "cookies"),
  types: fc.constantFrom("domain", "email", "nonsense"),
  status: fc.constantFrom("recommended", "nonsense"),
  is_disabled: fc.constantFrom("true", "false", "1"),
  group_id: number,
  format: fc.constantFrom("csv", "pdf", "docx", "nonsense"),
  query: fc.constantFrom("shop", "example", "(")
}

/** A request without them would always be refused. */
const required = new Set(["uid", "field", "format"])

type Row = ReturnType<typeof listOperations>[number]

const bodyOf = ({ endpoint: { payload }, operation }: Row): fc.Arbitrary<unknown> => {
  if (payload === undefined) return fc.constant(undefined)
  return bodies[operation] ?? fc.constantFrom(...Effect.runSync(Arbitrary.sampleEffect(onWire(payload), samples)))
}

const samples = { count: 40, seed: 20_261_120 }

const requestTo = (row: Row) => {
  const { endpoint } = row
  const names = namesIn(endpoint.query ?? {})
  const given = (names: ReadonlyArray<string>) =>
    Object.fromEntries(names.map((name) => [name, parameters[name] ?? text]))
  const parts = endpoint.path.split("/")
  return fc.record({
    method: fc.constant<string>(endpoint.method),
    path: fc
      .tuple(...parts.map((part) => (part.startsWith(":") ? segment(part.slice(1)) : fc.constant(part))))
      .map((parts) => `/svc${parts.join("/")}`),
    body: bodyOf(row),
    query: fc
      .tuple(
        fc.record(given(names.filter((name) => required.has(name)))).map((values) => encoded(Object.entries(values))),
        query(given(names))
      )
      .map((parts) => parts.filter((part) => part !== "").join("&"))
  })
}

const namesIn = (query: object): ReadonlyArray<string> =>
  Object.keys("fields" in query && typeof query.fields === "object" && query.fields !== null ? query.fields : query)

const operations = fc.oneof(...listOperations().map(requestTo))

/** A body with one of its values replaced, left out or joined by another; or no JSON any more. */
const mutate = (body: unknown): fc.Arbitrary<string> => {
  const json = JSON.stringify(body)
  const places = placesIn(body, [])
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(json) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...places), fc.option(fc.jsonValue(), { nil: undefined }))
        .map(([place, value]) => JSON.stringify(replaced(body, place, value)) ?? "")
    },
    { weight: 1, arbitrary: fc.nat(json.length).map((end) => json.slice(0, end)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "[".repeat(50_000),
        `{"query":${"[".repeat(500)}${"]".repeat(500)}}`,
        '{"__proto__":{"a":1},"size":1}'
      )
    }
  )
}

type Place = ReadonlyArray<string>

const placesIn = (value: unknown, place: Place): ReadonlyArray<Place> =>
  typeof value === "object" && value !== null
    ? [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))]
    : [place]

const replaced = (value: unknown, [key, ...rest]: Place, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? replaced(item, rest, by) : item))
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner])
      )
    : by
}

const sent: fc.Arbitrary<Sent> = operations.chain(({ body, method, path, query }) =>
  fc.record({
    method: fc.oneof(
      { weight: 19, arbitrary: fc.constant(method) },
      fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD")
    ),
    path: fc.oneof(
      { weight: 19, arbitrary: fc.constant(query === "" ? path : `${path}?${query}`) },
      oddSegment.map((extra) => `${path}/${extra}`),
      oddSegment.map((other) => `/${other}`)
    ),
    headers: fc.record({
      "Content-Type": fc.oneof(
        { weight: 9, arbitrary: fc.constant("application/json") },
        fc.constantFrom(
          "text/plain",
          "application/json; charset=utf-8",
          "APPLICATION/JSON",
          "multipart/form-data",
          "",
          "application/x-www-form-urlencoded"
        )
      ),
      Authorization: fc.oneof(
        { weight: 19, arbitrary: fc.constant("Bearer TOKEN") },
        fc.constantFrom("Bearer", "Bearer a b", "Basic TOKEN", "")
      )
    }),
    body: body === undefined ? fc.option(text, { nil: undefined, freq: 9 }) : mutate(body)
  })
)

/** The operation of a request: its method, and its path with `:id` in place of numbers and UUIDs. */
const operationOf = ({ method, path }: Sent): string =>
  `${method} ${path.replace(/\?.*/s, "").replaceAll(/\/(?:\d+|[\da-f-]{36})(?=\/|$)/g, "/:id")}`

/** Operations that need an id which no request here has. */
const unlikely = new Set<string>(["intel.get", "tenants.removeUser"])

const operationPaths = listOperations()
  .filter(({ operation }) => !unlikely.has(operation))
  .map(({ endpoint: { method, path } }) => `${method} /svc${path.replaceAll(/:[^/]+/g, ":id")}`)

interface Answer {
  readonly status: number
  /** A file of a report is none. */
  readonly isJson: boolean
  readonly text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

const answered = (service: RunningService, { body, headers, method, path }: Sent) =>
  new Promise<Answer>((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const call = request(
      `${service.url}/`,
      {
        agent,
        method,
        path,
        headers: {
          ...headers,
          Authorization: headers["Authorization"]?.replace("TOKEN", service.token) ?? "",
          ...(bytes === undefined ? {} : { "Content-Length": bytes.length })
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        const isJson = response.headers["content-type"]?.startsWith("application/json") ?? false
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, isJson, text: Buffer.concat(chunks).toString() })
        )
        response.on("error", reject)
      }
    )
    call.setTimeout(hangsAfter, () => call.destroy(new Error(`no answer in ${hangsAfter} ms`)))
    call.on("error", reject)
    call.end(bytes)
  })

const check = ({ method, path }: Sent, { isJson, status, text }: Answer) => {
  assert.isAtLeast(status, 200)
  assert.isBelow(status, 500, text)
  if (method === "HEAD" || text === "" || (status < 400 && !isJson)) return
  const json: Record<string, unknown> = JSON.parse(text)
  if (status < 400) return
  if (status === 422) {
    const { detail } = json
    assert.isTrue(Array.isArray(detail) && detail.length > 0, text)
    for (const { loc, msg, type } of Array.isArray(detail) ? detail : []) {
      assert.include(["body", "query", "path"], loc[0])
      assert.isTrue(typeof msg === "string" && typeof type === "string")
    }
    return
  }
  const { code, message }: Record<string, unknown> = path.startsWith("/svc/v2/") ? json : Object(json["error"])
  assert.isTrue(typeof code === "string" && typeof message === "string", `${path}: ${status} ${text}`)
}

describeFuzz("any request", ({ name, store }) => {
  let service: RunningService
  beforeAll(async () => {
    service = await startService({ store, sample: true })
    await service.load("events", [
      {
        event_type: "leak",
        metadata: {
          uid: "leak/fuzz/1",
          severity: "low",
          estimated_created_at: "2026-01-01T00:00:00Z",
          svc_url: "https://example.com/",
          matched_at: null
        },
        data: { term: "example.com" }
      }
    ])
    await service.load("credentials", [
      { id: 1, identity_name: "jane@example.com", imported_at: "2026-01-01T00:00:00Z", credential_hash: "fuzz" }
    ])
    const create = async (path: string, body: object) => {
      const headers = { "Content-Type": "application/json", Authorization: "Bearer TOKEN" }
      const { status } = await answered(service, { method: "POST", path, headers, body: JSON.stringify(body) })
      assert.strictEqual(status, 200)
    }
    // Generated requests delete only lower ids than this one's.
    await create("/svc/v2/assets/", { type: "domain", name: "example.com" })
    for (let id = 1; id <= 10; id += 1) await create("/svc/v2/assets/groups/", { id })
    const insertPolicies = MatchingPolicyStore.use((store) =>
      Effect.forEach(
        policies,
        (uuid) =>
          store.insert({
            tenantId: 1,
            uuid: PolicyUuid.make(uuid),
            name: "any",
            type: "INCLUDED_KEYWORDS",
            value: { keywords: ["example"] },
            createdAt: "2026-01-01T00:00:00Z"
          }),
        { discard: true }
      )
    )
    await Effect.runPromise(Effect.provide(insertPolicies, service.store.layer))
  })
  afterAll(async () => {
    agent.destroy()
    await service.stop()
  })

  const succeeded = new Set<string>()

  it("gets an answer of the contract", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: atOnce, maxLength: atOnce, size: "max" }), async (batch) => {
        const answers = await Promise.all(batch.map((one) => answered(service, one)))
        for (const [at, answer] of answers.entries()) {
          const one = batch[at]
          if (one === undefined) continue
          check(one, answer)
          if (answer.status < 300) succeeded.add(operationOf(one))
        }
      }),
      { seed: 20_261_120, numRuns: requests[name] / atOnce }
    )
    // Requests that are all refused would show little. Few requests succeed in some operations by chance only.
    const expected = name === "SQLite" ? operationPaths : []
    assert.deepStrictEqual(
      expected.filter((path) => !succeeded.has(path)),
      []
    )
  })
})

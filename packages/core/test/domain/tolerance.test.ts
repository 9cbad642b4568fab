/** Every field of a response may be absent or null, at any depth: docs/api.md#tolerance. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { listOperations } from "@threat-exposure/core/api/Endpoints"
import * as Samples from "@threat-exposure/core/testing/Samples"

const page = (item: unknown) => ({ items: [item, item], next: "a-cursor" })

const report = {
  id: 1,
  title: "A title",
  author: "An author",
  tenant_id: 3,
  report_type: "events",
  status: "completed",
  created_at: "2026-01-02T03:04:05Z",
  updated_at: "2026-01-02T03:04:05Z",
  is_archived: false
}

const monitored = {
  id: 12,
  name: "example.com",
  tenant_id: 3,
  data: { type: "domain", fqdn: "example.com" },
  categories: ["leak"],
  emerging_categories: ["cookie"],
  severities: ["high"],
  group_id: 21,
  enrichments: {
    domain_reachable_at: "2026-01-02T03:04:05Z",
    domain_resolves_at: "2026-01-02T03:04:05Z",
    usage_count: 1,
    event_count: 2,
    authorization_status: "authorized"
  },
  is_disabled: false,
  updated_at: "2026-01-02T03:04:05Z"
}

const answers: { readonly [operation: string]: ReadonlyArray<unknown> } = {
  "credentials.search": [page({ ...Samples.credential(), known_password_id: 7 })],
  "events.search": [page(Samples.event({ svc_url: "https://app.example.com/1", title: "A title" }))],
  "events.ofIdentifier": [page(Samples.identifierEvent())],
  "events.get": [...Samples.typedEvents, Samples.typedEvent("hologram", { deep: { a: 1 } })],
  "credentials.ofTenant": [
    page({ ...Samples.credential(), remediated_at: "2026-01-03T00:00:00Z", ignored_at: "2026-01-03T00:00:00Z" })
  ],
  "identifierGroups.list": [{ assets_groups: [Samples.identifierGroup()] }],
  "identifierGroups.get": [{ assets_group: Samples.identifierGroup() }],
  "identifierGroups.update": [{ assets_group: Samples.identifierGroup() }],
  "matchingPolicies.list": [page(Samples.matchingPolicy())],
  "matchingPolicies.create": [Samples.matchingPolicy()],
  "matchingPolicies.get": [Samples.matchingPolicy()],
  "matchingPolicies.update": [Samples.matchingPolicy()],
  "reports.list": [page(report)],
  "reports.get": [report],
  "tenants.mine": [{ tenants: [{ id: 1, name: "Example" }] }],
  "tenants.users": [{ users: [{ user_id: 1, is_readonly: true, role: "viewer" }] }],
  "intel.get": [
    {
      status: "completed",
      report: {
        id: 1,
        title: "A title",
        subtitle: "A subtitle",
        summary: "A summary",
        content: "A content",
        tags: ["a"],
        highlights: ["b"],
        related_activity_uids: ["paste/example/1"],
        created_at: "2026-01-02T03:04:05Z"
      }
    }
  ],
  "events.ofTenant": [page(Samples.identifierEvent({ materialized_at: "2026-01-03T00:00:00.000001Z" }))],
  "events.ofGroup": [page(Samples.identifierEvent())],
  "events.annotate": [{ uid: "paste/example/1", notes: "a note", tags: ["triage"], severity: "high" }],
  "events.expand": [
    page({ url: "https://a.example.com", username: "someone", password: "a password", application: "a browser" })
  ],
  "events.types": [{ categories: [{ value: "a", label: "A", types: [{ value: "paste", label: "Paste" }] }] }],
  "events.severities": [{ severities: [{ value: "high", label: "High", color: "#f00" }] }],
  "identifiers.list": [page(monitored)],
  "identifiers.get": [
    monitored,
    { ...monitored, data: { type: "secret", secret: "a secret" } },
    { ...monitored, data: { type: "identity", attributes: [{ type: "email", email: "a@example.com" }] } },
    { ...monitored, data: { type: "hologram", depth: { a: 1 } } }
  ],
  "identifiers.create": [monitored],
  "identifiers.update": [monitored],
  "identifiers.createV2": [
    { asset: Samples.identifier() },
    { asset: Samples.identifier({ type: "secret", name: "a name", data: { secret: "a value" } }) }
  ],
  "identifierGroups.create": [{ assets_group: Samples.identifierGroup() }],
  "recommendations.list": [page(Samples.recommendation())],
  "matchingPolicies.assignments": [page(Samples.policyAssignment())],
  "matchingPolicies.ofIdentifier": [[Samples.assignedPolicy()]],
  "intel.ask": [{ request_id: "6f1c2c52-6d0d-4f1c-9f0a-0f6f6f0a1b2c" }]
}

type Path = ReadonlyArray<string>

/** The paths of all fields of a response. */
const pathsOf = (value: unknown, before: Path = []): ReadonlyArray<Path> => {
  if (!Predicate.isObjectOrArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...before, key]
    const own: ReadonlyArray<Path> = Array.isArray(value) ? [] : [path]
    return own.concat(pathsOf(inner, path))
  })
}

/** A copy in which the field is absent or null. */
const lacking = (value: unknown, [key, ...rest]: Path, how: "absent" | "null"): unknown => {
  if (key === undefined || !Predicate.isObjectOrArray(value)) return value
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? lacking(item, rest, how) : item))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name !== key) return [[name, inner]]
      if (rest.length > 0) return [[name, lacking(inner, rest, how)]]
      return how === "null" ? [[name, null]] : []
    })
  )
}

describe("an answer decodes", () => {
  for (const { endpoint, operation } of listOperations()) {
    const { media, success } = endpoint
    if (SchemaAST.isVoid(success.ast) || media !== undefined) continue
    // Schemas of responses need no services.
    const schema = Schema.make<Schema.Codec<unknown, unknown>>(success.ast)
    const decode = Schema.decodeUnknownSync(schema)
    const encode = Schema.encodeUnknownSync(schema)
    const whole = answers[operation] ?? []

    it(`of ${operation}, without any one of its fields, or with null in it`, () => {
      assert.isNotEmpty(whole)
      for (const answer of whole) {
        for (const path of pathsOf(answer)) {
          for (const how of ["absent", "null"] as const) {
            const given = lacking(answer, path, how)
            if (how === "absent" && path.join(".") === "items") {
              // An object without items is not a page: decoded as an empty one, it would mean that there are no
              // results.
              assert.throws(() => decode(given))
              continue
            }
            const read = decode(given)
            assert.deepStrictEqual(decode(encode(read)), read, path.join("."))
          }
        }
      }
    })

    const answer = whole[0]
    const paths = pathsOf(answer).filter((path) => !["items", "next"].includes(path.join(".")))
    it.prop(
      `of ${operation}, without any number of them`,
      [
        Arbitrary.schema(
          Schema.Array(
            Schema.Tuple([Schema.Literals(paths.map((path) => path.join("."))), Schema.Literals(["absent", "null"])])
          )
        )
      ],
      ([cuts]) => {
        const cut = cuts.reduce<unknown>((given, [path, how]) => lacking(given, path.split("."), how), answer)
        const read = decode(cut)
        assert.deepStrictEqual(decode(encode(read)), read)
      }
    )
  }
})

import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "@effect/vitest"
import * as Predicate from "effect/Predicate"
import { apiDocument } from "../../document/Document.ts"
import { listOperations, permissionOf } from "@threat-exposure/core/api/Endpoints"

/** Every operation of docs/api.md, with its method and path. */
const operations = {
  "tokens.generate": "post /tokens/generate",
  "tokens.test": "get /tokens/test",
  "credentials.search": "post /v4/credentials/global/_search",
  "credentials.ofTenant": "get /v2/me/feed/credentials",
  "credentials.act": "post /v4/credentials/actions",
  "events.search": "post /v4/events/global/_search",
  "events.ofIdentifier": "post /v4/events/identifiers/{identifier_id}/_search",
  "events.get": "get /v4/events/",
  "events.ofTenant": "post /v4/events/tenant/_search",
  "events.ofGroup": "post /v4/events/identifier_groups/{group_id}/_search",
  "events.expand": "get /v4/events/_expand",
  "events.types": "get /v4/events/filters/types",
  "events.severities": "get /v4/events/filters/severities",
  "events.act": "post /v4/events/actions",
  "events.annotate": "patch /v4/events/tenant/metadata",
  "identifiers.createV2": "post /v2/assets/",
  "identifiers.list": "get /v4/identifiers/",
  "identifiers.get": "get /v4/identifiers/{identifier_id}",
  "identifiers.create": "post /v4/identifiers/",
  "identifiers.update": "put /v4/identifiers/{identifier_id}",
  "identifiers.delete": "delete /v4/identifiers/{identifier_id}",
  "identifierGroups.create": "post /v2/assets/groups/",
  "identifierGroups.list": "get /v2/assets/groups/",
  "identifierGroups.get": "get /v2/assets/groups/{group_id}",
  "identifierGroups.update": "put /v2/assets/groups/{group_id}",
  "identifierGroups.delete": "delete /v2/assets/groups/{group_id}",
  "recommendations.list": "get /v4/identifier-recommendations/",
  "recommendations.act": "post /v4/identifier-recommendations/actions",
  "matchingPolicies.list": "get /v4/matching-policies",
  "matchingPolicies.create": "post /v4/matching-policies",
  "matchingPolicies.get": "get /v4/matching-policies/{policy_uuid}",
  "matchingPolicies.update": "put /v4/matching-policies/{policy_uuid}",
  "matchingPolicies.unassign": "delete /v4/matching-policies/{policy_uuid}/assignments",
  "matchingPolicies.assign": "post /v4/matching-policies/{policy_uuid}/assignments",
  "matchingPolicies.assignments": "get /v4/matching-policies/{policy_uuid}/assignments",
  "matchingPolicies.ofIdentifier": "get /v4/matching-policies/by_identifier_id/{identifier_id}",
  "matchingPolicies.delete": "delete /v4/matching-policies/{policy_uuid}",
  "reports.create": "post /v2/reporting/reports",
  "reports.list": "get /v4/reports",
  "reports.get": "get /v4/reports/{report_id}",
  "reports.download": "get /v4/reports/{report_id}/download",
  "tenants.addUsers": "post /v2/tenants/{tenant_id}/users",
  "tenants.mine": "get /v2/me/tenants",
  "tenants.users": "get /v2/tenants/{tenant_id}/users",
  "tenants.removeUser": "delete /v2/tenants/{tenant_id}/users/{user_id}",
  "intel.ask": "post /v4/threat_flow/intel/requests",
  "intel.get": "get /v4/threat_flow/reports/requests/{request_id}"
}

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (Predicate.isObject(inner) ? inner[key] : undefined), value)

const document = apiDocument()

const found = Object.entries(at(document, "paths") ?? {}).flatMap(([path, item]) =>
  Object.entries(item ?? {})
    .filter(([key]) => key !== "servers")
    .map(([method, operation]) => ({ route: `${method} ${path}`, operation }))
)

const named = (name: string) => found.find(({ operation }) => at(operation, "operationId") === name)?.operation
const parameter = (operation: string, name: string) =>
  [at(named(operation), "parameters")].flat().find((parameter) => at(parameter, "name") === name)
const schema = (name: string) => at(document, "components", "schemas", name)

describe("openapi.json", () => {
  it("is the current document of the API: `pnpm run openapi` writes it again", () => {
    const committed: unknown = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(committed, JSON.parse(JSON.stringify(document)))
  })

  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(JSON.stringify(document)))
    assert.deepStrictEqual(result.errors ?? [], [])
    assert.isTrue(result.valid)
    assert.strictEqual(validator.version, "3.1")
  })

  it("has one operation for each row of the table", () => {
    const routes = Object.fromEntries(found.map(({ route, operation }) => [at(operation, "operationId"), route]))
    assert.deepStrictEqual(routes, operations)
  })

  it("resolves every reference to a named component, and names no component twice", () => {
    const text = JSON.stringify(document)
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/gu)].map(([, name]) => name ?? ""))
    for (const name of used) assert.isDefined(schema(name), name)
    const names = Object.keys(at(document, "components", "schemas") ?? {})
    assert.deepStrictEqual(
      names.filter((name) => name.endsWith("Encoded")),
      []
    )
    assert.includeMembers(names, ["Credential", "Source", "Event", "TypedEvent", "StealerLogEvent", "MatchingPolicy"])
  })

  for (const { endpoint, operation: name } of listOperations()) {
    const { costsQuota } = endpoint
    const permission = permissionOf(endpoint)
    it(`describes ${name} with its texts, permission, security and errors`, () => {
      const operation = named(name)
      assert.isString(at(operation, "summary"))
      assert.isString(at(operation, "description"))
      assert.strictEqual(at(operation, "x-permission"), permission)
      assert.deepStrictEqual(at(operation, "security"), [{ bearer: [] }])
      const refusals = permission === undefined ? [] : ["403", "422"]
      assert.containsAllKeys(at(operation, "responses"), ["200", "401", ...refusals, "429", "503"])
      assert.isDefined(at(operation, "responses", "503", "headers", "Retry-After"))
      assert.isDefined(at(operation, "responses", "429", "headers", "Retry-After"))
      const quotaHeaders = [200, 429].map((status) =>
        Object.keys(at(operation, "responses", String(status), "headers") ?? {}).filter((name) => name.startsWith("X-"))
      )
      assert.deepStrictEqual(
        quotaHeaders,
        costsQuota === true
          ? [["X-Global-Searches-Remaining", "X-Global-Searches-Batch-Reached"], ["X-Global-Searches-Remaining"]]
          : [[], []]
      )
      assert.strictEqual("413" in Object(at(operation, "responses")), "requestBody" in Object(operation))
    })
  }

  it("describes the exchange of an API key, outside the prefix", () => {
    const generate = named("tokens.generate")
    const test = named("tokens.test")
    assert.deepStrictEqual(at(generate, "security"), [{ apiKey: [] }])
    assert.deepStrictEqual(at(test, "security"), [{ bearer: [] }])
    assert.deepInclude(at(document, "components", "securitySchemes", "apiKey"), {
      type: "apiKey",
      in: "header",
      name: "Authorization"
    })
    assert.strictEqual(at(generate, "requestBody", "required"), false)
    assert.hasAllKeys(at(generate, "responses"), ["200", "401", "403", "413", "422", "429", "503"])
    assert.hasAllKeys(at(test, "responses"), ["200", "401", "429", "503"])
    assert.isDefined(at(generate, "responses", "429", "headers", "Retry-After"))
    for (const path of ["/tokens/generate", "/tokens/test"]) {
      assert.include(JSON.stringify(at(document, "paths", path, "servers")), '{"url":"{base_url}",')
    }
  })

  it("marks deprecated and beta operations", () => {
    const marked = (mark: string) => Object.keys(operations).filter((name) => at(named(name), mark) === true)
    assert.deepStrictEqual(marked("deprecated"), ["identifiers.createV2"])
    assert.deepStrictEqual(marked("x-beta"), [
      "events.get",
      "events.expand",
      "matchingPolicies.list",
      "matchingPolicies.create",
      "matchingPolicies.get",
      "matchingPolicies.update",
      "matchingPolicies.unassign",
      "matchingPolicies.assign",
      "matchingPolicies.assignments",
      "matchingPolicies.ofIdentifier",
      "matchingPolicies.delete"
    ])
  })

  it("marks the fields that are deprecated", () => {
    const fields = Object.entries(at(schema("IdentifierEventFilters"), "properties") ?? {})
    assert.deepStrictEqual(
      fields.filter(([, field]) => at(field, "deprecated") === true).map(([name]) => name),
      ["is_ignored", "is_remediated"]
    )
  })

  it("requires the fields that are specified as always present, and no others", () => {
    const optional = new Set(["auth_domains", "urls", "remediated_at", "ignored_at"])
    const fields = Object.keys(at(schema("Credential"), "properties") ?? {})
    assert.sameMembers(
      [at(schema("Credential"), "required")].flat(),
      fields.filter((field) => !optional.has(field))
    )
    assert.strictEqual(at(schema("Credential"), "properties", "source_id", "type"), "string")
    assert.deepStrictEqual(at(schema("CredentialPage"), "required"), ["items", "next"])
    assert.deepStrictEqual(at(schema("CredentialSearch"), "required"), ["query"])
    assert.notInclude(JSON.stringify(document), "x-promise")
  })

  it("states the limits of docs/api.md#limits-and-quota", () => {
    const size = (name: string) => at(schema(name), "properties", "size")
    assert.deepInclude(size("CredentialSearch"), { minimum: 1, maximum: 10_000 })
    assert.deepInclude(size("EventSearch"), { minimum: 1, maximum: 10 })
    assert.deepInclude(size("IdentifierEventSearch"), { minimum: 1, maximum: 10 })
    for (const name of ["recommendations.list", "matchingPolicies.assignments"]) {
      assert.deepInclude(parameter(name, "size"), {
        in: "query",
        schema: { type: "integer", minimum: 1, maximum: 100 },
        required: false
      })
    }
  })

  it("states the bounds of every integer that are checked", () => {
    const unbounded: Array<string> = []
    const look = (value: unknown, path: string) => {
      if (!Predicate.isObjectOrArray(value)) return
      if (at(value, "type") === "integer" && !(Number(at(value, "minimum")) <= Number(at(value, "maximum")))) {
        unbounded.push(path)
      }
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`)
    }
    look(document, "")
    assert.deepStrictEqual(unbounded, [])
    assert.deepInclude(parameter("events.ofIdentifier", "identifier_id"), {
      in: "path",
      schema: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      required: true
    })
  })
})

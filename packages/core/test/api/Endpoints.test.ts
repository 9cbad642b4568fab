import { assert, describe, it } from "@effect/vitest"
import { isReadOnly, listOperations, permissionOf, tierOf } from "@threat-exposure/core/api/Endpoints"

/**
 * Permission, rate limit tier and retry behaviour of each operation: docs/api.md#permissions and
 * docs/api.md#limits-and-quota
 */
const operations = {
  "credentials.search": ["Read Tenant", "search", "read"],
  "credentials.ofTenant": ["Read Tenant", "basic", "read"],
  "credentials.act": ["Write Tenant", "basic", "write"],
  "events.search": ["Read Tenant", "search", "read"],
  "events.ofIdentifier": ["Read Tenant", "basic", "read"],
  "events.get": ["Read Tenant", "basic", "read"],
  "events.ofTenant": ["Read Tenant", "search", "read"],
  "events.ofGroup": ["Read Tenant", "search", "read"],
  "events.act": ["Write Tenant", "basic", "write"],
  "events.annotate": ["Write Tenant", "basic", "write"],
  "events.expand": ["Read Tenant", "basic", "read"],
  "events.types": ["Read Tenant", "basic", "read"],
  "events.severities": ["Read Tenant", "basic", "read"],
  "identifiers.createV2": ["Write Tenant", "basic", "write"],
  "identifiers.list": ["Read Tenant", "basic", "read"],
  "identifiers.get": ["Read Tenant", "basic", "read"],
  "identifiers.create": ["Write Tenant", "basic", "write"],
  "identifiers.update": ["Write Tenant", "basic", "write"],
  "identifiers.delete": ["Write Tenant", "basic", "write"],
  "identifierGroups.create": ["Write Tenant", "basic", "write"],
  "identifierGroups.list": ["Read Tenant", "basic", "read"],
  "identifierGroups.get": ["Read Tenant", "basic", "read"],
  "identifierGroups.update": ["Write Tenant", "basic", "write"],
  "identifierGroups.delete": ["Write Tenant", "basic", "write"],
  "recommendations.list": ["Read Tenant", "basic", "read"],
  "recommendations.act": ["Write Tenant", "basic", "write"],
  "matchingPolicies.assign": ["Write Tenant", "basic", "write"],
  "matchingPolicies.assignments": ["Read Tenant", "basic", "read"],
  "matchingPolicies.ofIdentifier": ["Read Tenant", "basic", "read"],
  "matchingPolicies.delete": ["Write Tenant", "basic", "write"],
  "matchingPolicies.list": ["Read Tenant", "basic", "read"],
  "matchingPolicies.create": ["Write Tenant", "basic", "write"],
  "matchingPolicies.get": ["Read Tenant", "basic", "read"],
  "matchingPolicies.update": ["Write Tenant", "basic", "write"],
  "matchingPolicies.unassign": ["Write Tenant", "basic", "write"],
  "reports.create": ["Write Tenant", "basic", "write"],
  "reports.list": ["Read Tenant", "basic", "read"],
  "reports.get": ["Read Tenant", "basic", "read"],
  "reports.download": ["Read Tenant", "basic", "read"],
  "tenants.addUsers": ["Write Tenant Admin", "basic", "write"],
  "tenants.mine": [undefined, "basic", "read"],
  "tenants.users": ["Read Tenant", "basic", "read"],
  "tenants.removeUser": ["Write Tenant Admin", "basic", "write"],
  "intel.ask": ["Write Tenant", "basic", "write"],
  "intel.get": ["Read Tenant", "basic", "read"]
}

const rows = listOperations()

describe("the contract", () => {
  it("has the permission, the tier and the effect of each operation", () => {
    assert.deepStrictEqual<unknown>(
      Object.fromEntries(
        rows.map(({ endpoint, operation }) => [
          operation,
          [permissionOf(endpoint), tierOf(endpoint), isReadOnly(endpoint) ? "read" : "write"]
        ])
      ),
      operations
    )
  })

  it("has no two operations with the same method and path", () => {
    const routes = rows.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replace(/:\w+/gu, ":")}`)
    assert.strictEqual(new Set(routes).size, routes.length)
  })

  it("has a parameter for each variable of a path, in its order", () => {
    for (const { params = {}, path } of rows.map(({ endpoint }) => endpoint)) {
      assert.deepStrictEqual(
        Object.keys(params),
        [...path.matchAll(/:(\w+)/gu)].map(([, name]) => name)
      )
    }
  })
})

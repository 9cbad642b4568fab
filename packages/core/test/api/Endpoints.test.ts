import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import { contractOf } from "@threat-exposure/core/api/Annotations"
import { Api } from "@threat-exposure/core/api/Api"
import { contract, type Endpoint } from "@threat-exposure/core/api/Endpoints"

/** docs/api.md#permissions and docs/api.md#limits-and-quota */
const operations = {
  "credentials.search": ["Read Tenant", "search", "read"],
  "events.search": ["Read Tenant", "search", "read"],
  "events.ofIdentifier": ["Read Tenant", "basic", "read"],
  "events.get": ["Read Tenant", "basic", "read"],
  "identifiers.create": ["Write Tenant", "basic", "write"],
  "identifierGroups.create": ["Write Tenant", "basic", "write"],
  "recommendations.list": ["Read Tenant", "basic", "read"],
  "matchingPolicies.assign": ["Write Tenant", "basic", "write"],
  "matchingPolicies.assignments": ["Read Tenant", "basic", "read"],
  "matchingPolicies.ofIdentifier": ["Read Tenant", "basic", "read"],
  "matchingPolicies.delete": ["Write Tenant", "basic", "write"],
  "reports.create": ["Write Tenant", "basic", "write"],
  "tenants.addUsers": ["Write Tenant Admin", "basic", "write"],
  "intel.ask": ["Write Tenant", "basic", "write"]
}

const endpoints = Object.values(contract).flatMap((group): ReadonlyArray<Endpoint> => Object.values(group))

describe("the contract", () => {
  it("has the permission, the tier and the effect of each operation", () => {
    assert.deepStrictEqual<unknown>(
      Object.fromEntries(
        endpoints.map(({ isRead, operation, permission, tier }) => [
          operation,
          [permission, tier, isRead ? "read" : "write"]
        ])
      ),
      operations
    )
  })

  it("contains each endpoint of the HTTP API once, under its name, with its method and path", () => {
    const served: Array<Endpoint> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        const made = contractOf(endpoint)
        assert.strictEqual(made.operation, `${group.identifier}.${endpoint.identifier}`)
        assert.strictEqual(made.method, endpoint.method)
        assert.strictEqual(made.path, endpoint.path)
        served.push(made)
      }
    })
    assert.sameMembers(served, endpoints)
  })
})

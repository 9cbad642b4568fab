import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "@threat-exposure/core/api/Api"
import { permissionOf, permissions } from "@threat-exposure/core/domain/Permission"

describe("permissions", () => {
  it("name every operation of the API, and no other", () => {
    const operations: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => operations.push(`${group.identifier}.${endpoint.identifier}`)
    })
    assert.sameMembers(operations, Object.keys(permissions))
  })

  it("are those of SPEC 5", () => {
    assert.strictEqual(permissionOf("credentials", "search"), "Read Tenant")
    assert.strictEqual(permissionOf("matchingPolicies", "delete"), "Write Tenant")
    assert.strictEqual(permissionOf("tenants", "addUsers"), "Write Tenant Admin")
    assert.isNull(permissionOf("events", "get"))
  })
})

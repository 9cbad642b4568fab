import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "@threat-exposure/core/api/Api"
import * as endpoints from "@threat-exposure/core/api/Endpoints"

describe("endpoints", () => {
  it("are those of the API, at the same place", () => {
    const served: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) =>
        served.push(`${group.identifier}.${endpoint.identifier} ${endpoint.method} ${endpoint.path}`)
    })
    const called = Object.values(endpoints)
      .flatMap((group): ReadonlyArray<endpoints.Endpoint> => Object.values(group))
      .map(({ method, operation, path }) => `${operation} ${method} ${path}`)
    assert.sameMembers(called, served)
  })
})

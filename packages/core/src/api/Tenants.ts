import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { tenants } from "./Endpoints.ts"
import { emptySuccess, notFound, v2Refused } from "./Responses.ts"

/** See docs/api.md#add-users-to-a-tenant. */
export class Tenants extends HttpApiGroup.make("tenants")
  .add(
    HttpApiEndpoint.make(tenants.addUsers.method)("addUsers", tenants.addUsers.path, {
      ...tenants.addUsers,
      success: emptySuccess,
      error: [v2Refused, notFound.v2]
    }).annotateMerge(
      annotationsOf(tenants.addUsers, {
        summary: "Add users to a tenant",
        description: "Makes users members of the tenant."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Membership of tenants" })) {}

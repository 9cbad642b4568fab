import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { done } from "./Done.ts"
import { tenants } from "./Endpoints.ts"
import { notFound, v2Refused } from "./Refusals.ts"

/** SPEC 4.12. */
export class Tenants extends HttpApiGroup.make("tenants")
  .add(
    HttpApiEndpoint.post("addUsers", tenants.addUsers.path, {
      ...tenants.addUsers,
      success: done,
      error: [v2Refused, notFound.v2]
    }).annotateMerge(
      describe("tenants.addUsers", {
        summary: "Add users to a tenant",
        description: "Makes users members of the tenant."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Membership of tenants" })) {}

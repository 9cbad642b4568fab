import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { done } from "./Done.ts"
import { reports } from "./Endpoints.ts"
import { v2Refused } from "./Refusals.ts"

/** SPEC 4.6. */
export class Reports extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("create", reports.create.path, {
      ...reports.create,
      success: done,
      error: v2Refused
    }).annotateMerge(
      describe("reports.create", {
        summary: "Create a report",
        description: "Creates a report of the tenant's events."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Reports" })) {}

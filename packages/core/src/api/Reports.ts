import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { reports } from "./Endpoints.ts"
import { emptySuccess, v2Refused } from "./Responses.ts"

/** See docs/api.md#create-a-report. */
export class Reports extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.make(reports.create.method)("create", reports.create.path, {
      ...reports.create,
      success: emptySuccess,
      error: v2Refused
    }).annotateMerge(
      annotationsOf(reports.create, {
        summary: "Create a report",
        description: "Creates a report of the tenant's events."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Reports" })) {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { NewReport } from "../domain/Report.ts"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { done } from "./Done.ts"
import { v2Refused } from "./Refusals.ts"

/** SPEC 4.6. */
export class Reports extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("create", "/v2/reporting/reports", {
      payload: NewReport,
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

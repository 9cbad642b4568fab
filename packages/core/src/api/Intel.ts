import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { IntelQuestion, IntelRequest } from "../domain/Intel.ts"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"

/** SPEC 4.13. */
export class Intel extends HttpApiGroup.make("intel")
  .add(
    HttpApiEndpoint.post("ask", "/v4/threat_flow/intel/requests", {
      payload: IntelQuestion,
      success: IntelRequest
    }).annotateMerge(
      describe("intel.ask", {
        summary: "Ask the threat-intelligence generator",
        description: "Answers with the id of the request. The account must have the threat-intelligence feature."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Threat-intelligence requests" })) {}

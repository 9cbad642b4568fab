import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { intel } from "./Endpoints.ts"

/** SPEC 4.13. */
export class Intel extends HttpApiGroup.make("intel")
  .add(
    HttpApiEndpoint.post("ask", intel.ask.path, intel.ask).annotateMerge(
      describe("intel.ask", {
        summary: "Ask the threat-intelligence generator",
        description: "Answers with the id of the request. The account must have the threat-intelligence feature."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Threat-intelligence requests" })) {}

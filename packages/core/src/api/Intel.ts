import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { intel } from "./Endpoints.ts"

/** See docs/api.md#ask-for-intelligence. */
export class Intel extends HttpApiGroup.make("intel")
  .add(
    HttpApiEndpoint.make(intel.ask.method)("ask", intel.ask.path, intel.ask).annotateMerge(
      annotationsOf(intel.ask, {
        summary: "Ask the threat-intelligence generator",
        description: "Returns the id of the request. The account must have the threat-intelligence feature."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Threat-intelligence requests" })) {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { recommendations } from "./Endpoints.ts"

/** SPEC 4.11. */
export class Recommendations extends HttpApiGroup.make("recommendations")
  .add(
    HttpApiEndpoint.get("list", recommendations.list.path, recommendations.list).annotateMerge(
      describe("recommendations.list", {
        summary: "List identifier recommendations",
        description: "Lists the identifiers that the service suggests to monitor."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Suggested identifiers" })) {}

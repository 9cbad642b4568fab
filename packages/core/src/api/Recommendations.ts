import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { recommendations } from "./Endpoints.ts"

/** See docs/api.md#list-recommendations. */
export class Recommendations extends HttpApiGroup.make("recommendations")
  .add(
    HttpApiEndpoint.make(recommendations.list.method)(
      "list",
      recommendations.list.path,
      recommendations.list
    ).annotateMerge(
      annotationsOf(recommendations.list, {
        summary: "List identifier recommendations",
        description: "Lists the identifiers that the service suggests to monitor."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Suggested identifiers" })) {}

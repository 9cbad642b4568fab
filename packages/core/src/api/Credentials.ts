import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { credentials } from "./Endpoints.ts"

/** See docs/api.md#search-credentials. */
export class Credentials extends HttpApiGroup.make("credentials")
  .add(
    HttpApiEndpoint.make(credentials.search.method)(
      "search",
      credentials.search.path,
      credentials.search
    ).annotateMerge(
      annotationsOf(credentials.search, {
        summary: "Search leaked credentials",
        description:
          "Searches the whole data set. Counts against the global search quota and the Search rate limit; `X-Global-Searches-Remaining` says how many searches are left."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Leaked credentials" })) {}

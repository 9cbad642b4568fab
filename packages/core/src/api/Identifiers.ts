import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { identifiers } from "./Endpoints.ts"
import { v2Refused } from "./Responses.ts"

/** See docs/api.md#create-an-identifier. */
export class Identifiers extends HttpApiGroup.make("identifiers")
  .add(
    /** @deprecated In favour of a v4 operation that is not specified. */
    HttpApiEndpoint.make(identifiers.create.method)("create", identifiers.create.path, {
      ...identifiers.create,
      error: v2Refused
    }).annotateMerge(
      annotationsOf(identifiers.create, {
        summary: "Create an identifier",
        description:
          "Creates an asset that is monitored from then on. Deprecated in favour of a v4 operation that is not specified."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Monitored assets" })) {}

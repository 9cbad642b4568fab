import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { identifiers } from "./Endpoints.ts"
import { v2Refused } from "./Refusals.ts"

/** SPEC 4.4. */
export class Identifiers extends HttpApiGroup.make("identifiers")
  .add(
    /** @deprecated SPEC names a v4 endpoint as its replacement, and does not show it. */
    HttpApiEndpoint.post("create", identifiers.create.path, { ...identifiers.create, error: v2Refused }).annotateMerge(
      describe("identifiers.create", {
        summary: "Create an identifier",
        description: "Monitors an asset from now on. Deprecated in favour of a v4 endpoint.",
        deprecated: true
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Monitored assets" })) {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { IdentifierCreated, NewIdentifier } from "../domain/Identifier.ts"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { v2Refused } from "./Refusals.ts"

/** SPEC 4.4. */
export class Identifiers extends HttpApiGroup.make("identifiers")
  .add(
    /** @deprecated SPEC names a v4 endpoint as its replacement, and does not show it. */
    HttpApiEndpoint.post("create", "/v2/assets/", {
      payload: NewIdentifier,
      success: IdentifierCreated,
      error: v2Refused
    }).annotateMerge(
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

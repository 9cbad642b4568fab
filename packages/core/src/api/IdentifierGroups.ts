import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { identifierGroups } from "./Endpoints.ts"
import { v2Refused } from "./Refusals.ts"

/** SPEC 4.5. */
export class IdentifierGroups extends HttpApiGroup.make("identifierGroups")
  .add(
    HttpApiEndpoint.post("create", identifierGroups.create.path, {
      ...identifierGroups.create,
      error: v2Refused
    }).annotateMerge(
      describe("identifierGroups.create", {
        summary: "Create an identifier group",
        description: "Groups identifiers under one name."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Groups of monitored assets" })) {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { V2Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { identifierGroups } from "./Endpoints.ts"
import { v2Refused } from "./Responses.ts"

/** See docs/api.md#create-an-identifier-group. */
export class IdentifierGroups extends HttpApiGroup.make("identifierGroups")
  .add(
    HttpApiEndpoint.make(identifierGroups.create.method)("create", identifierGroups.create.path, {
      ...identifierGroups.create,
      error: v2Refused
    }).annotateMerge(
      annotationsOf(identifierGroups.create, {
        summary: "Create an identifier group",
        description: "Groups identifiers under one name."
      })
    )
  )
  .middleware(Validation)
  .middleware(V2Access)
  .annotateMerge(OpenApi.annotations({ description: "Groups of monitored assets" })) {}

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { CredentialPage, CredentialSearch } from "../domain/Credential.ts"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"

/** SPEC 4.1. */
export class Credentials extends HttpApiGroup.make("credentials")
  .add(
    HttpApiEndpoint.post("search", "/v4/credentials/global/_search", {
      payload: CredentialSearch,
      success: CredentialPage
    }).annotateMerge(
      describe("credentials.search", {
        summary: "Search leaked credentials",
        description:
          "Searches the whole data set. Counts against the global search quota and the Search rate limit; `X-Global-Searches-Remaining` tells what is left."
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Leaked credentials" })) {}

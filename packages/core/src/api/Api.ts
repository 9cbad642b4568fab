/**
 * The API as one value, from which the service's handlers and `openapi.json` are derived. Paths do not include the prefix,
 * which is set at run time.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { Credentials } from "./Credentials.ts"
import { Events } from "./Events.ts"
import { IdentifierGroups } from "./IdentifierGroups.ts"
import { Identifiers } from "./Identifiers.ts"
import { Intel } from "./Intel.ts"
import { MatchingPolicies } from "./MatchingPolicies.ts"
import { Recommendations } from "./Recommendations.ts"
import { Reports } from "./Reports.ts"
import { Tenants } from "./Tenants.ts"

export class Api extends HttpApi.make("threat-exposure")
  .add(Credentials, Events, Identifiers, IdentifierGroups, Recommendations, MatchingPolicies, Reports, Tenants, Intel)
  // Report all faults of a request at once, but never the values.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Threat Exposure Monitoring API",
      version: "4",
      description:
        "Search leaked credentials and events, and manage what is monitored. Bodies are JSON. Answers may gain fields, and enumerations may gain values.",
      license: { name: "MIT" }
    })
  ) {}

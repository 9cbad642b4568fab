import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { describe } from "./Describe.ts"
import { events } from "./Endpoints.ts"
import { notFound } from "./Refusals.ts"

/** SPEC 4.2, 4.3, 4.14. */
export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("search", events.search.path, events.search).annotateMerge(
      describe("events.search", {
        summary: "Search events",
        description:
          "Searches the whole data set. Counts against the global search quota and the Search rate limit; `X-Global-Searches-Remaining` tells what is left."
      })
    ),
    HttpApiEndpoint.post("ofIdentifier", events.ofIdentifier.path, {
      ...events.ofIdentifier,
      error: notFound.v4
    }).annotateMerge(
      describe("events.ofIdentifier", {
        summary: "Search the events of one identifier",
        description: "Searches only the events that were matched to the identifier."
      })
    ),
    /** @beta */
    HttpApiEndpoint.get("get", events.get.path, { ...events.get, error: notFound.v4 }).annotateMerge(
      describe("events.get", {
        summary: "Retrieve one event",
        description: "Gives the event in full, typed by its kind. Beta: may change without notice.",
        beta: true
      })
    )
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Events: what was found, and where" })) {}

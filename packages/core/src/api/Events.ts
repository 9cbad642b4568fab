import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { events } from "./Endpoints.ts"
import { notFound } from "./Responses.ts"

const search = HttpApiEndpoint.make(events.search.method)("search", events.search.path, events.search)
  .annotateMerge(
    annotationsOf(events.search, {
      summary: "Search events",
      description:
        "Searches the whole data set. Counts against the global search quota and the Search rate limit; `X-Global-Searches-Remaining` says how many searches are left."
    })
  )
  .middleware(Validation)
  .middleware(Access)

const ofIdentifier = HttpApiEndpoint.make(events.ofIdentifier.method)("ofIdentifier", events.ofIdentifier.path, {
  ...events.ofIdentifier,
  error: notFound.v4
})
  .annotateMerge(
    annotationsOf(events.ofIdentifier, {
      summary: "Search the events of one identifier",
      description: "Searches only the events that were matched to the identifier."
    })
  )
  .middleware(Validation)
  .middleware(Access)

/** @beta */
const get = HttpApiEndpoint.make(events.get.method)("get", events.get.path, {
  ...events.get,
  error: notFound.v4
})
  .annotateMerge(
    annotationsOf(events.get, {
      summary: "Retrieve one event",
      description: "Returns the event in full, with the data of its type."
    })
  )
  .middleware(Validation)
  .middleware(Access)

// Without its type, the compiler may order this union differently in each build.
const group: HttpApiGroup.HttpApiGroup<"events", typeof search | typeof ofIdentifier | typeof get> = HttpApiGroup.make(
  "events"
)
  .add(search, ofIdentifier, get)
  .annotateMerge(OpenApi.annotations({ description: "Events: what was found, and where" }))

/** See docs/api.md#search-events. */
export class Events extends group {}

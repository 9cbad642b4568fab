import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Access, Validation } from "./Access.ts"
import { annotationsOf } from "./Annotations.ts"
import { events } from "./Endpoints.ts"
import { notFound } from "./Responses.ts"

/** See docs/api.md#search-events. */
export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.make(events.search.method)("search", events.search.path, events.search).annotateMerge(
      annotationsOf(events.search)
    ),
    HttpApiEndpoint.make(events.ofIdentifier.method)("ofIdentifier", events.ofIdentifier.path, {
      ...events.ofIdentifier,
      error: notFound.v4
    }).annotateMerge(annotationsOf(events.ofIdentifier)),
    /** @beta */
    HttpApiEndpoint.make(events.get.method)("get", events.get.path, {
      ...events.get,
      error: notFound.v4
    }).annotateMerge(annotationsOf(events.get))
  )
  .middleware(Validation)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ description: "Events: what was found, and where" })) {}

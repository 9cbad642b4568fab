/** Events: what was found, and where. See docs/api.md#search-events. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { events } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface EventsMethods extends Methods<typeof events> {}

/** A page has at most 10 events. Text in an event comes from a leak: treat it as hostile input. */
export class Events extends Context.Service<Events, EventsMethods>()("@threat-exposure/core/client/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.map(ApiClient, ({ transport }) => Events.of(methods(transport, events)))
  )
}

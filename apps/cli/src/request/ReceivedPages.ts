/** The pages of events as the service sent them, with members that this version does not know. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { CallOptions } from "@threat-exposure/core/client/ClientOptions"
import { Events } from "@threat-exposure/core/client/Events"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { resolveConnection } from "../connection/Connection.ts"
import type { EventRequest } from "./EventRequest.ts"

export interface ReceivedPage {
  /** In the page's order, each as it was received. */
  readonly items: ReadonlyArray<unknown>
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null
}

export class ReceivedPages extends Context.Service<
  ReceivedPages,
  {
    /** `from` is a cursor of an earlier page. */
    readonly events: (request: EventRequest, from: string | null) => Stream.Stream<ReceivedPage, ApiError>
    /** What the last of its answers said about the search quota. */
    readonly quota: ApiClient["Service"]["quota"]
  }
>()("@threat-exposure/cli/request/ReceivedPages") {
  /** Over the resolved connection. */
  static readonly layer = Layer.unwrap(
    Effect.map(resolveConnection, ({ options }) => {
      const answers = new LastAnswer()
      return Layer.effect(
        ReceivedPages,
        Effect.map(Effect.all([Events, ApiClient]), ([events, { quota }]) =>
          ReceivedPages.of({
            quota,
            events: (request, from) =>
              pagesOf(events, request, from).pipe(
                // An item that the client cannot read is among the received ones too.
                Stream.provideService(CallOptions, { onUnreadable: () => undefined }),
                Stream.mapEffect(({ next }) => Effect.map(answers.items, (items) => ({ items, next })))
              )
          })
        )
      ).pipe(
        // Not shared with the client of another layer, whose answers are not remembered.
        Layer.provide(Layer.fresh(Events.layer)),
        Layer.provide(ApiClient.layer({ ...options, fetch: answers.remembering }))
      )
    })
  )
}

const pagesOf = (events: Events["Service"], request: EventRequest, from: string | null) =>
  request._tag === "Global"
    ? events.pages({ ...request.search, from })
    : events.pagesOfIdentifier(request.identifierId, { ...request.search, from })

/** Keeps the body of the last answer. Pages are read one at a time, so it belongs to the page just decoded. */
class LastAnswer {
  #text: Promise<string> = Promise.resolve("")

  readonly remembering: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init)
    if (response.ok) this.#text = response.clone().text()
    // The client reports an answer that is cut off; the copy may have no reader.
    this.#text.catch(() => undefined)
    return response
  }

  readonly items: Effect.Effect<ReadonlyArray<unknown>> = Effect.map(
    Effect.promise(() => this.#text),
    (text) => {
      const body: unknown = JSON.parse(text)
      return Predicate.hasProperty(body, "items") && Array.isArray(body.items) ? body.items : []
    }
  )
}

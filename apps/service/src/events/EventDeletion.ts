/** Deletes events with their words and matches. Annotations stay, and apply again if the event is loaded again. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import type { SelectedRecords } from "../load/RecordDeletion.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"

export class EventDeletion extends Context.Service<
  EventDeletion,
  {
    select(selection: EventSelection): Effect.Effect<SelectedRecords, QueryStringInvalid>
  }
>()("@threat-exposure/service/events/EventDeletion") {}

export interface EventSelection {
  /** With its secret in clear: never log it. Undefined selects every event. */
  readonly query: typeof EventQuery.Encoded | undefined
  /** In microseconds since 1970; later events stay. */
  readonly createdBefore: number
}

export const everyEvent: EventSelection = { query: undefined, createdBefore: Number.MAX_SAFE_INTEGER }

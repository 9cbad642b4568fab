/** Deletes events with their words and matches. Annotations are kept, and apply again if the event is loaded again. */
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
  /** The secret in the query is in clear: never log it. Undefined selects every event. */
  readonly query: typeof EventQuery.Encoded | undefined
  /** Microseconds since 1970, exclusive. */
  readonly createdBefore: number
}

export const everyEvent: EventSelection = { query: undefined, createdBefore: Number.MAX_SAFE_INTEGER }

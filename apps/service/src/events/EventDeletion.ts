/** Deletes events with their words and matches. Annotations stay, and apply again if the event is loaded again. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import { inShortTransactions, type SelectedRecords } from "../load/RecordDeletion.ts"
import { expressionOf } from "../matching/EventQueries.ts"
import { matchAll, matchNone } from "../search/Expression.ts"
import { QueryStringInvalid } from "../search/QueryString.ts"
import { Database } from "../sqlite/Database.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { isPublished } from "../sqlite/Generations.ts"
import { procedure } from "../sqlite/Procedure.ts"

export class EventDeletion extends Context.Service<
  EventDeletion,
  {
    select(selection: EventSelection): Effect.Effect<SelectedRecords, QueryStringInvalid>
  }
>()("@threat-exposure/service/events/EventDeletion") {
  static readonly layerSqlite = Layer.effect(
    EventDeletion,
    Effect.map(Database, ({ read, write }) =>
      EventDeletion.of({
        select: Effect.fnUntraced(function* (selection) {
          const found = yield* read(selectEvents, selection)
          if ("fault" in found) return yield* new QueryStringInvalid(found.fault)
          return inShortTransactions(found, (some) => write(deleteEvents, { ...selection, uids: some }))
        })
      })
    )
  )
}

export interface EventSelection {
  /** With its secret in clear: never log it. Undefined selects every event. */
  readonly query: typeof EventQuery.Encoded | undefined
  /** In microseconds since 1970; later events stay. */
  readonly createdBefore: number
}

export const everyEvent: EventSelection = { query: undefined, createdBefore: Number.MAX_SAFE_INTEGER }

/** The uids of the selected events, or why the query is invalid. */
const selectEvents = procedure(
  "EventDeletion.select",
  (
    { connection, vault },
    { createdBefore, query }: EventSelection
  ): ReadonlyArray<string> | { readonly fault: { readonly position: number; readonly reason: string } } => {
    const uidsOf = (sql: string, ...parameters: ReadonlyArray<string | number>) =>
      connection
        .prepare(sql)
        .all(...parameters)
        .map(({ uid }) => String(uid))
    if (query === undefined) {
      return uidsOf(`SELECT e.uid FROM events e WHERE e.created_at < ? AND ${published}`, createdBefore)
    }
    const expression = expressionOf(vault, query)
    if (Result.isFailure(expression)) {
      const { position, reason } = expression.failure
      return { fault: { position, reason } }
    }
    return uidsOf(
      `SELECT e.uid FROM event_index CROSS JOIN events e ON e.id = event_index.rowid
       WHERE event_index MATCH ? AND e.created_at < ? AND ${published}`,
      fullTextQuery(vault, expression.success),
      createdBefore
    )
  }
)

const published = isPublished("e", "events")

/** Deletes those of the events that are selected now: a load may have replaced one since. Returns the number of deleted events. */
export const deleteEvents = procedure(
  "EventDeletion.delete",
  (
    { connection, vault },
    { createdBefore, query, uids }: EventSelection & { readonly uids: ReadonlyArray<string> }
  ): number => {
    const expression = query === undefined ? matchAll : Result.getOrElse(expressionOf(vault, query), () => matchNone)
    const selected = connection.prepare(
      `SELECT CAST(e.id AS TEXT) AS id FROM events e CROSS JOIN event_index ON event_index.rowid = e.id
       WHERE e.uid = ? AND e.created_at < ? AND ${published} AND event_index MATCH ?`
    )
    const match = fullTextQuery(vault, expression)
    let deleted = 0
    for (const uid of uids) {
      for (const { id } of selected.all(uid, createdBefore, match)) {
        connection.run("DELETE FROM event_index WHERE rowid = CAST(? AS INTEGER)", String(id))
        deleted += connection.run("DELETE FROM events WHERE id = CAST(? AS INTEGER)", String(id)).changes
      }
    }
    return deleted
  }
)

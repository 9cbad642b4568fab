import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { deleteEvent } from "./EventLoader.ts"
import { EventDeletion, type EventSelection } from "../../events/EventDeletion.ts"
import { inShortTransactions } from "../../load/RecordDeletion.ts"
import { expressionOf } from "../../matching/EventQueries.ts"
import { matchAll, matchNone } from "../../search/Expression.ts"
import { QueryStringInvalid } from "../../search/QueryString.ts"
import { fullTextQuery } from "../database/FullTextQuery.ts"
import { isPublished } from "../database/Generations.ts"
import { type OpenDatabase, procedure } from "../database/Procedure.ts"
import { storeLayer } from "../database/StoreMethods.ts"

export const EventDeletionSqlite = storeLayer(EventDeletion)(({ read }, { write }) => {
  const select = read("select", selectEvents)
  return {
    select: Effect.fnUntraced(function* (selection) {
      const selected = yield* select(selection)
      if ("fault" in selected) return yield* Effect.fail(new QueryStringInvalid(selected.fault))
      return inShortTransactions(selected, (some) => write(deleteEvents, { ...selection, uids: some }))
    })
  }
})

function selectEvents(
  { connection, vault }: OpenDatabase,
  { createdBefore, query }: EventSelection
): ReadonlyArray<string> | { readonly fault: { readonly position: number; readonly reason: string } } {
  const uidsOf = (sql: string, ...parameters: ReadonlyArray<string | number>) =>
    connection.tuples(sql, ...parameters).map(([uid]) => String(uid))
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

const published = isPublished("e", "events")

/** A load may have replaced events since they were selected. Returns the number of deleted ones. */
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
        deleteEvent(connection, String(id))
        deleted += 1
      }
    }
    return deleted
  }
)

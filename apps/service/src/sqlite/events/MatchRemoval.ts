import type { Connection } from "../database/Connection.ts"

export const minEventId = -(2n ** 63n)
export const maxEventId = String(2n ** 63n - 1n)

/**
 * Removes matches with events after the first id and up to the second one, unless the full-text query `kept` finds the
 * events. One statement for all identifiers searches the kept events only once.
 */
export const removeMatches = (
  connection: Connection,
  identifierIds: ReadonlyArray<number>,
  kept: string,
  [after, end = maxEventId]: readonly [after: string, end: string | undefined]
): void => {
  const range = [after, end]
  connection.run(
    `DELETE FROM identifier_events
     WHERE identifier_id IN (SELECT value FROM json_each(?))
       AND event_id > CAST(? AS INTEGER) AND event_id <= CAST(? AS INTEGER)
       AND event_id NOT IN (
         SELECT rowid FROM event_index
         WHERE event_index MATCH ? AND rowid > CAST(? AS INTEGER) AND rowid <= CAST(? AS INTEGER))`,
    JSON.stringify(identifierIds),
    ...range,
    kept,
    ...range
  )
}

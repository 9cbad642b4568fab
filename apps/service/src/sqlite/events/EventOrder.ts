/**
 * The order of events: by time, and for the same microsecond by uid in UTF-16 code units.
 *
 * The full-text index returns rows fastest in the order of ids, so ids roughly follow time: an id is a time slot of
 * about one second, and a number within it. A listing reads slot after slot and sorts within each.
 */
import * as Schema from "effect/Schema"
import { column, type Connection } from "../database/Connection.ts"
import type { EventSortKey } from "../../events/EventStore.ts"

export const compareEvents = (a: EventSortKey, b: EventSortKey): number =>
  a.at - b.at || (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0)

export const slotOf = (createdAt: number): bigint => BigInt(createdAt) >> slotBits

export const firstMicrosecondOf = (slot: bigint): bigint => slot << slotBits

export const firstIdOf = (slot: bigint): bigint => slot << idBits

/** An id for a new event. Ids ascend with time where there is room, which keeps a load in the order of the index. */
export const newEventId = (connection: Connection, createdAt: number): bigint => {
  const first = BigInt(createdAt) << (idBits - slotBits)
  if (!connection.has("FROM events e WHERE e.id = ?", first)) return first
  const start = firstIdOf(slotOf(createdAt))
  const end = start + (1n << idBits)
  const last = connection.first(lastIdBetween, start, end)
  if (last !== undefined && last + 1n < end) return last + 1n
  const free = connection.first(freeIdBefore, start, end)
  if (free === undefined) throw new Error("A second holds more than a thousand million events")
  return free
}

const slotBits = 20n
const idBits = 30n

const lastIdBetween = column(
  Schema.BigIntFromString,
  "SELECT CAST(e.id AS TEXT) FROM events e WHERE e.id >= ? AND e.id < ? ORDER BY e.id DESC LIMIT 1"
)

const freeIdBefore = column(
  Schema.BigIntFromString,
  `SELECT CAST(e.id - 1 AS TEXT) FROM events e
   WHERE e.id > ? AND e.id < ? AND NOT EXISTS (SELECT 1 FROM events WHERE id = e.id - 1) ORDER BY e.id DESC LIMIT 1`
)

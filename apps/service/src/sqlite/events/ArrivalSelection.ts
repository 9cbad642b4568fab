import * as Schema from "effect/Schema"
import { matchAll } from "../../search/Expression.ts"
import { column, type Connection } from "../database/Connection.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import type { EventListing } from "../../events/EventStore.ts"
import { arrivalsBetween, timeOfArrival } from "./Arrivals.ts"
import { findBroadPrefixes } from "./BroadPrefixes.ts"
import { decodeRows, type SelectedEvent, selectionOf, type SelectionProgress } from "./EventSelection.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** One more event than the page. Two events of a tenant never have the same arrival, so uids need not be compared. */
export const selectByArrival = (
  database: OpenDatabase,
  { input: listing, progress, time }: SliceInput<EventListing, SelectionProgress>,
  arrivalsAtOnce = 2_000
): Slice<SelectionProgress, ReadonlyArray<SelectedEvent>> => {
  const { connection } = database
  const { after, filters, order, size, tenantId } = listing
  const sliceEnd = monotonicNow() + time
  const isAscending = order === "asc"
  const selected = [...(progress?.selected ?? [])]
  let [first, last] = boundsOf(connection, filters, after, isAscending)
  if (progress?.from !== undefined) {
    if (isAscending) first = Number(progress.from)
    else last = Number(progress.from)
  }
  // The index is queried for one event at a time, and would merge the matches of a broad prefix again each time.
  const broadPrefixes = progress?.broadPrefixes ?? findBroadPrefixes(connection, listing.expression ?? matchAll, 0)
  const { conditions, parameters, source } = selectionOf(database, listing, broadPrefixes)
  const rows = {
    sql: `SELECT CAST(e.id AS TEXT) AS id, ${timeOfArrival("m.arrival")} AS at, e.uid, m.identifier_id, m.event_id FROM ${source}
      WHERE ${[...conditions, "m.arrival BETWEEN ? AND ?"].join(" AND ")} ORDER BY m.arrival ${order} LIMIT ? + 0`,
    decode: decodeRows
  }
  while (first <= last) {
    const arrival = connection.first(isAscending ? arrivalAfter : arrivalBefore, tenantId, first, last, arrivalsAtOnce)
    // All matches of an event have its arrival, and there may be more of them than are read at once.
    const next =
      arrival === undefined ? undefined : isAscending ? Math.max(arrival, first + 1) : Math.min(arrival, last - 1)
    const range = isAscending ? [first, (next ?? last + 1) - 1] : [(next ?? first - 1) + 1, last]
    selected.push(...connection.all(rows, ...parameters, ...range, size + 1 - selected.length))
    if (next === undefined || selected.length > size) break
    if (isAscending) first = next
    else last = next
    if (monotonicNow() >= sliceEnd) {
      return { isDone: false, progress: { selected, from: BigInt(next), rangeSize: arrivalsAtOnce, broadPrefixes } }
    }
  }
  return { isDone: true, output: selected }
}

const boundsOf = (
  connection: Connection,
  { arrivedSince, arrivedUntil }: EventListing["filters"],
  after: EventListing["after"],
  isAscending: boolean
): readonly [first: number, last: number] => {
  const since = after === undefined || !isAscending ? arrivedSince : Math.max(after.at + 1, arrivedSince ?? after.at)
  const until = after === undefined || isAscending ? arrivedUntil : Math.min(after.at - 1, arrivedUntil ?? after.at)
  return arrivalsBetween(connection, { since, until })
}

const arrivalAt = (order: "ASC" | "DESC") =>
  column(
    Schema.Int,
    `SELECT arrival FROM identifier_events WHERE tenant_id = ? AND arrival BETWEEN ? AND ?
     ORDER BY arrival ${order} LIMIT 1 OFFSET ? + 0`
  )
const [arrivalAfter, arrivalBefore] = [arrivalAt("ASC"), arrivalAt("DESC")]

import * as Schema from "effect/Schema"
import { and, matchAll, or, termExpression } from "../../search/Expression.ts"
import { column } from "../database/Connection.ts"
import type { Parameter } from "../database/Statements.ts"
import { fullTextQuery } from "../database/FullTextQuery.ts"
import { isPublished } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Slice, SliceInput } from "../database/SlicedSearch.ts"
import { findBroadPrefixes, hasPrefix, readEventMatches, withoutPrefixes } from "./BroadPrefixes.ts"
import { compareEvents, firstIdOf, firstMicrosecondOf, slotOf } from "./EventOrder.ts"
import { maxEventId, minEventId } from "./MatchRemoval.ts"
import { type EventListing, type EventSortKey, isByArrival, uidForOrder } from "../../events/EventStore.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export interface SelectedEvent extends EventSortKey {
  readonly id: string
}

export interface SelectionProgress {
  readonly selected: ReadonlyArray<SelectedEvent>
  /** The position at which the rest of the data set starts; undefined for all of it. */
  readonly from: bigint | undefined
  readonly rangeSize: number
  readonly broadPrefixes: ReadonlyArray<string>
}

/**
 * One more event than the page. A running statement cannot be interrupted, so the data set is searched range by range,
 * each as large as the time of the previous one suggests.
 */
export const selectEvents = (
  database: OpenDatabase,
  { input: listing, progress, time }: SliceInput<EventListing, SelectionProgress>,
  { firstRange, maxEntries }: { readonly firstRange?: number; readonly maxEntries?: number } = {}
): Slice<SelectionProgress, ReadonlyArray<SelectedEvent>> => {
  const { after, order, size } = listing
  const sliceEnd = monotonicNow() + time
  const wanted = size + 1
  const broadPrefixes =
    progress?.broadPrefixes ?? findBroadPrefixes(database.connection, listing.expression ?? matchAll, maxEntries)
  const { byId, inSlot, minRange } = statements(database, listing, broadPrefixes)
  const compare = order === "asc" ? compareEvents : (a: EventSortKey, b: EventSortKey) => compareEvents(b, a)
  const start = after === undefined ? undefined : slotOf(after.at)
  const selected = [...(progress?.selected ?? (start === undefined ? [] : inSlot(start, after, wanted)))]
  let from = progress === undefined && start !== undefined ? start + (order === "asc" ? 1n : 0n) : progress?.from
  let rangeSize = progress?.rangeSize ?? firstRange ?? Math.max(minRange, broadPrefixes.length > 0 ? 500 : 1_000)
  while (selected.length < wanted) {
    const startedAt = monotonicNow()
    const to = endOfRange(database, order, from, rangeSize)
    const missing = wanted - selected.length
    const rows = byId(from, to, missing * 2)
    const isAll = rows.length < missing * 2
    const lastSlot = slotOf(rows.at(-1)?.at ?? 0)
    // The last slot may contain more events than were read.
    selected.push(...rows.filter(({ at }) => isAll || slotOf(at) !== lastSlot).toSorted(compare))
    if (!isAll && selected.length < wanted) selected.push(...inSlot(lastSlot, undefined, wanted - selected.length))
    if (to === undefined) break
    from = to
    const growth = rangeTime / Math.max(monotonicNow() - startedAt, rangeTime / maxGrowth)
    rangeSize = Math.max(firstRange ?? minRange, Math.round(rangeSize * growth))
    if (selected.length < wanted && monotonicNow() >= sliceEnd) {
      return { isDone: false, progress: { selected, from, rangeSize, broadPrefixes } }
    }
  }
  return { isDone: true, output: selected.slice(0, wanted) }
}

/** If ranges this large are fast, the rest is searched at once: counting the events of a range would take longer. */
const maxRange = 2_000_000
/** Milliseconds that a range should take. */
const rangeTime = 20
const maxGrowth = 16

/** The first slot after the range, in the direction of the listing; undefined if the range contains the rest. */
const endOfRange = (
  { connection }: OpenDatabase,
  order: "asc" | "desc",
  from: bigint | undefined,
  rangeSize: number
): bigint | undefined => {
  if (rangeSize > maxRange) return undefined
  const isAscending = order === "asc"
  const last = connection.first(
    lastOfRange[order],
    from === undefined ? (isAscending ? -maxTime : maxTime) : firstMicrosecondOf(from),
    rangeSize
  )
  return last === undefined ? undefined : slotOf(last) + (isAscending ? 1n : 0n)
}

const maxTime = 2 ** 53

const lastOfRange = {
  asc: column(
    Schema.Int,
    "SELECT created_at FROM events WHERE created_at >= ? ORDER BY created_at LIMIT 1 OFFSET ? + 0"
  ),
  desc: column(
    Schema.Int,
    "SELECT created_at FROM events WHERE created_at < ? ORDER BY created_at DESC LIMIT 1 OFFSET ? + 0"
  )
}

const statements = (database: OpenDatabase, listing: EventListing, broadPrefixes: ReadonlyArray<string>) => {
  const { connection } = database
  const { order } = listing
  const { conditions, id, minRange, parameters, source } = selectionOf(database, listing, broadPrefixes)
  const run = (condition: string, sort: string, ...values: ReadonlyArray<Parameter>) => {
    // `+ 0`: the planner looks at the value of a bare `LIMIT ?`, so each execution would prepare the statement again.
    const sql = `SELECT CAST(e.id AS TEXT) AS id, e.created_at AS at, e.uid FROM ${source}
      WHERE ${conditions.join(" AND ")} AND ${id} >= ? AND ${id} < ?${condition} ORDER BY ${sort} LIMIT ? + 0`
    return connection.all({ sql, decode: decodeRows }, ...parameters, ...values)
  }
  return {
    minRange,
    byId: (from: bigint | undefined, to: bigint | undefined, limit: number) => {
      const [low, high] = order === "desc" ? [to, from] : [from, to]
      const first = low === undefined ? minEventId : firstIdOf(low)
      return run("", `${id} ${order}`, first, high === undefined ? BigInt(maxEventId) : firstIdOf(high), limit)
    },
    /** Events of a slot in the order of the listing, after `key`. */
    inSlot: (slot: bigint, key: EventSortKey | undefined, limit: number) => {
      const comparison = order === "desc" ? "<" : ">"
      return run(
        key === undefined ? "" : ` AND (e.created_at, ${uidOrder}) ${comparison} (?, ?)`,
        `e.created_at ${order}, ${uidOrder} ${order}`,
        firstIdOf(slot),
        firstIdOf(slot + 1n),
        ...(key === undefined ? [] : [key.at, uidForOrder(key.uid) ?? key.uid]),
        limit
      )
    }
  }
}

const uidOrder = "coalesce(e.uid_order, e.uid)"

export const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.String, at: Schema.Int, uid: Schema.String }))
)

/** `id` is the column that follows the order of time. */
export const selectionOf = (database: OpenDatabase, listing: EventListing, broadPrefixes: ReadonlyArray<string>) => {
  const { connection, vault } = database
  const { expression: query = matchAll, filters, matchedTo, tenantId } = listing
  const byArrival = isByArrival(listing)
  const group = typeof matchedTo === "object" ? [tenantId, matchedTo.group] : []
  const isOfTenant = matchedTo === "tenant" || typeof matchedTo === "object"
  const inGroup = (match: string) =>
    group.length === 0 ? "" : ` AND ${match}.identifier_id IN (${identifiersOfGroup})`
  const parameters: Array<Parameter> = []
  const conditions: Array<string> = []
  const addCondition = (sql: string, ...values: ReadonlyArray<Parameter>) => {
    conditions.push(sql)
    parameters.push(...values)
  }

  const { severities, since, statuses, tags, types, until } = filters
  const anyTerm = (kind: "type" | "severity", values: ReadonlyArray<string> | undefined) =>
    values === undefined ? matchAll : or(...values.map((value) => termExpression({ kind, value })))
  // In the whole data set, the index finds rare types faster than a scan of all events; an identifier has few events.
  // The index contains an event's own severity, which is irrelevant if the tenant has overridden it.
  const indexedSeverities =
    severities !== undefined && connection.has(overriddenEvents, tenantId) ? undefined : severities
  const found = withoutPrefixes(query, broadPrefixes)
  const expression =
    matchedTo === undefined ? and(found, anyTerm("type", types), anyTerm("severity", indexedSeverities)) : found
  // The index returns events by time, so it cannot be read in the order of arrivals.
  const indexed = expression._tag !== "MatchAll" && !byArrival
  const id = indexed ? "event_index.rowid" : matchedTo === undefined ? "e.id" : "m.event_id"

  // CROSS JOIN keeps the table in the order of ids in the outer loop, so that rows need no sorting.
  let source = indexed ? "event_index CROSS JOIN events e ON e.id = event_index.rowid" : "events e"
  if (isOfTenant && !indexed) {
    source = `identifier_events m INDEXED BY ${byArrival ? "arrivals_of_tenant" : "events_of_tenant"}
      CROSS JOIN events e ON e.id = m.event_id`
  } else if (typeof matchedTo === "number") {
    source = indexed
      ? "event_index CROSS JOIN identifier_events m ON m.event_id = event_index.rowid CROSS JOIN events e ON e.id = m.event_id"
      : "identifier_events m CROSS JOIN events e ON e.id = m.event_id"
  }
  parameters.push(tenantId)
  addCondition(isPublished("e", "events"))
  if (indexed) addCondition("event_index MATCH ?", fullTextQuery(vault, expression))
  else if (expression._tag !== "MatchAll") {
    addCondition(
      "EXISTS (SELECT 1 FROM event_index WHERE event_index.rowid = e.id AND event_index MATCH ?)",
      fullTextQuery(vault, expression)
    )
  }
  if (typeof matchedTo === "number") addCondition("m.identifier_id = ?", matchedTo)
  else if (isOfTenant && indexed) {
    addCondition(
      `EXISTS (SELECT 1 FROM identifier_events m WHERE m.tenant_id = ? AND m.event_id = e.id${inGroup("m")})`,
      tenantId,
      ...group
    )
  } else if (isOfTenant) {
    // If several identifiers match an event, the one with the lowest id represents it.
    addCondition(
      `m.tenant_id = ?${inGroup("m")} AND NOT EXISTS (
        SELECT 1 FROM identifier_events o
        WHERE o.tenant_id = m.tenant_id AND o.event_id = m.event_id AND o.identifier_id < m.identifier_id${inGroup("o")})`,
      tenantId,
      ...group,
      ...group
    )
  }

  if (types !== undefined) addCondition("e.type IN (SELECT value FROM json_each(?))", JSON.stringify(types))
  if (severities !== undefined) {
    addCondition("coalesce(a.severity, e.severity) IN (SELECT value FROM json_each(?))", JSON.stringify(severities))
  }
  if (since !== undefined) {
    addCondition(`${id} >= ?`, firstIdOf(slotOf(since)))
    addCondition("e.created_at >= ?", since)
  }
  if (until !== undefined) {
    addCondition(`${id} < ?`, firstIdOf(slotOf(until) + 1n))
    addCondition("e.created_at <= ?", until)
  }
  if (tags !== undefined) {
    addCondition(
      "NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(iif(json_valid(a.tags), a.tags, '[]'))))",
      JSON.stringify(tags)
    )
  }
  if (found !== query) addCondition(readEventMatches(database, query, "e"))
  if (statuses !== undefined) addCondition(`${status} IN (SELECT value FROM json_each(?))`, JSON.stringify(statuses))

  return {
    id,
    source: `${source} LEFT JOIN event_annotations a ON a.tenant_id = ? AND a.uid = e.uid`,
    conditions,
    parameters,
    // A statement merges the entries of the prefixes, even if its range is small.
    minRange: hasPrefix(found) ? 50_000 : 1
  }
}

const identifiersOfGroup = "SELECT id FROM identifiers WHERE tenant_id = ? AND group_id = ?"

const overriddenEvents = "FROM event_annotations WHERE tenant_id = ? AND severity IS NOT NULL"

const status =
  "CASE WHEN a.remediated_at IS NOT NULL THEN 'remediated' WHEN a.ignored_at IS NOT NULL THEN 'ignored' ELSE 'open' END"
